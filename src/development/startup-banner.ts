import type { Logger } from 'pino';
import type { Environment } from '../core/configuration/environment.js';
import { basePath } from '../core/http/requests/route-options.js';
import type { DemoOrganization } from './demo/demo-organization.js';

export type Line = readonly [label: string, value: string];

export interface StartupInfo {
  readonly url: string | null;
  readonly operationsUrl: string | null;
  /** Logs in to the console once, within ten minutes; null where a password does. */
  readonly loginPath: string | null;
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
  const { url, operationsUrl, database, demo } = started;
  return [
    ...(url === null ? [['Delivering', 'webhooks'] satisfies Line] : addressLines(url)),
    ...(operationsUrl === null ? [] : [['Metrics and probes', operationsUrl] satisfies Line]),
    ...consoleLines(started),
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

function consoleLines({ operationsUrl, loginPath, environment }: StartupInfo): Line[] {
  if (operationsUrl === null) return [];
  if (loginPath !== null) {
    return [['Console', `${operationsUrl}${loginPath}  (logs in once, within 10 minutes)`]];
  }
  return environment.OPS_PASSWORD === undefined ? [] : [['Console', `${operationsUrl}/console`]];
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
