import type { Logger } from 'pino';
import type { Environment } from '../core/configuration/environment.js';
import { basePath } from '../core/http/server/route-options.js';
import type { DemoOrganization } from './demo/demo-organization.js';

export type Line = readonly [label: string, value: string];

export interface StartupInfo {
  readonly url: string | null;
  readonly operationsUrl: string | null;
  readonly environment: Environment;
  readonly database: { readonly description: string };
  readonly demo: DemoOrganization | null;
}

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

function demoKeyLines({ organizationId, keys }: DemoOrganization): Line[] {
  if (keys !== null) {
    return [...keys].map(([purpose, key]) =>
      purpose === 'everything'
        ? ['Demo API key', `${key}  (for everything; shown once)`]
        : [`Demo key, ${purpose}`, `${key}  (for a ${purpose}; shown once)`],
    );
  }
  const id = organizationId.toHexString();
  return [['Lost the key?', `npm run cli -- key issue --org ${id} --name Demo --for everything`]];
}

/** Writes to standard output for people, but logs in production, where programs read it (rule OPS-12). */
export function printStartupBanner(
  lines: readonly Line[],
  { NODE_ENV }: Environment,
  logger: Logger,
): void {
  if (NODE_ENV !== 'production') return print(lines);
  for (const [label, value] of lines) logger.info(`${label} ${value}`);
}

function print(lines: readonly Line[]): void {
  const width = Math.max(...lines.map(([label]) => label.length));
  const text = lines.map(([label, value]) => `${label.padEnd(width)}  ${value}\n`).join('');
  process.stdout.write(`\n${text}\n`);
}
