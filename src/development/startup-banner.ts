import type { Logger } from 'pino';
import type { Environment } from '../core/configuration/environment.js';
import { basePath } from '../core/http/requests/route-options.js';
import type { DemoOrganization } from './demo/demo-organization.js';

export type Line = readonly [label: string, value: string];

export interface StartupInfo {
  readonly url: string | null;
  readonly operationsUrl: string | null;
  readonly environment: Environment;
  readonly database: { readonly description: string };
  readonly demo: DemoOrganization | null;
}

/** Its second cheque is due today. */
const callbackReservation = 'sandbox-reservation-pending-cheque-collection';

const firstLead = {
  recordSystemId: 'form-1',
  name: 'Mona',
  phoneNumber: '01007654321',
  project: 'Palm Meadows',
};

export function startupLines(started: StartupInfo): Line[] {
  const { url, operationsUrl, environment, database, demo } = started;
  return [
    ...(url === null ? [['Delivering', 'webhooks'] satisfies Line] : addressLines(url)),
    ...(operationsUrl === null ? [] : [['Metrics and probes', operationsUrl] satisfies Line]),
    ...consoleLines(operationsUrl, environment),
    ['Data', database.description],
    ...(demo === null ? [] : demoKeyLines(demo)),
  ];
}

function addressLines(url: string): Line[] {
  return [
    ['Listening on', `${url}/${basePath}`],
    ['API reference', `${url}/docs`],
  ];
}

/** Returns the console's address or, in development, how to enable it. */
export function consoleLines(
  url: string | null,
  { OPS_PASSWORD, NODE_ENV }: { readonly OPS_PASSWORD?: unknown; readonly NODE_ENV: string },
): Line[] {
  if (url !== null && OPS_PASSWORD !== undefined) return [['Console', `${url}/console`]];
  if (NODE_ENV === 'production') return [];
  const missing = [
    ...(url === null ? ['OPS_PORT'] : []),
    ...(OPS_PASSWORD === undefined ? ['OPS_PASSWORD (see npm run cli -- console password)'] : []),
  ];
  return [['Console', `off: set ${missing.join(', and ')}`]];
}

function demoKeyLines({ organizationId, keys, signedCollector }: DemoOrganization): Line[] {
  if (keys !== null) {
    const ofPurposes = [...keys].map(([purpose, key]): Line => {
      return purpose === 'everything'
        ? ['Demo API key', `${key}  (for everything; shown once)`]
        : [`Demo key, ${purpose}`, `${key}  (for a ${purpose}; shown once)`];
    });
    if (signedCollector === undefined) return ofPurposes;
    const { key, signingSecret } = signedCollector;
    return [
      ...ofPurposes,
      ['Demo key, signed', `${key}  (for signed callbacks; shown once)`],
      ['Signing secret', `${signingSecret}  (of that key; shown once)`],
    ];
  }
  const id = organizationId.toHexString();
  return [['Lost the key?', `npm run cli -- key issue --org ${id} --name Demo --for everything`]];
}

/** Returns a command with the website's key, to be pasted into any shell; null if the key is unknown. */
export function firstRequest({ url, demo }: Pick<StartupInfo, 'url' | 'demo'>): string | null {
  const key = demo?.keys?.get('website');
  if (url === null || key === undefined) return null;
  return (
    `curl -sS -w '\\n' ${url}/${basePath}/leads \\\n` +
    `  -H 'api-key: ${key}' -H 'content-type: application/json' \\\n` +
    `  -d '${JSON.stringify(firstLead)}'`
  );
}

/** Returns commands that report a cheque of the demo, unsigned and signed; null if the keys are unknown. */
export function firstCallbacks({ url, demo }: Pick<StartupInfo, 'url' | 'demo'>): string | null {
  const key = demo?.keys?.get('collector');
  const reservationId = demo?.reservations?.[callbackReservation];
  if (url === null || key === undefined || reservationId === undefined) return null;
  const { key: signedKey, signingSecret } = demo?.signedCollector ?? {};
  const report = { reservationId, installmentId: 'installment-2', chequeStatus: 'pending' };
  return (
    `curl -sS -i ${url}/${basePath}/reservations/webhook \\\n` +
    `  -H 'api-key: ${key}' -H 'content-type: application/json' \\\n` +
    `  -d '${JSON.stringify(report)}'\n\n` +
    `API_URL=${url} API_KEY=${signedKey} SIGNING_SECRET=${signingSecret} \\\n` +
    `  node docs/guides/programs/sign-callback.mjs ${reservationId} installment-2 collected`
  );
}

/** Writes to standard output for people, but logs in production, where programs read it (rule OPS-12). */
export function announceStart(
  started: StartupInfo,
  { NODE_ENV }: Environment,
  logger: Logger,
): void {
  const lines = startupLines(started);
  if (NODE_ENV === 'production') {
    for (const [label, value] of lines) logger.info(`${label} ${value}`);
    return;
  }
  const width = Math.max(...lines.map(([label]) => label.length));
  const text = lines.map(([label, value]) => `${label.padEnd(width)}  ${value}\n`).join('');
  const request = firstRequest(started);
  const callbacks = firstCallbacks(started);
  const examples = [
    request && `\nSend a lead from another terminal:\n\n${request}\n`,
    callbacks && `\nReport a cheque, unsigned and signed:\n\n${callbacks}\n`,
  ];
  process.stdout.write(`\n${text}${examples.join('')}\n`);
}

export function announceStop(isFinished: boolean, { NODE_ENV }: Environment, logger: Logger): void {
  const line = isFinished ? 'Stopped.' : 'Stopped before every request had finished.';
  if (NODE_ENV === 'production') logger.info(line);
  else process.stdout.write(`${line}\n`);
}
