/**
 * Checks the process of its container, as the image's HEALTHCHECK does. Exits with 0 if the process takes requests and
 * reaches the database, otherwise with 1. It prints the reason, which `docker inspect` shows.
 *
 * It runs every few seconds, so it loads neither the settings' schema nor a package.
 */
import { get } from 'node:http';
import { basePath } from './core/http/requests/route-options.js';
import { readinessPath } from './operator/ops-listener/probe-paths.js';

/** The service responds within 2 seconds. */
const timeoutMs = 4_000;

try {
  process.loadEnvFile();
} catch {
  // The service reports a file that it cannot read.
}
const { ROLE, PORT, HOST, OPS_PORT = '', OPS_HOST } = process.env;
// A worker has no other listener, and the limit of connections of the API does not concern the probes.
if (OPS_PORT !== '') check(OPS_HOST, OPS_PORT, readinessPath);
else if (ROLE === 'worker') report(true, 'A worker without OPS_PORT has no probes.');
else check(HOST, PORT === undefined || PORT === '' ? '3000' : PORT, `/${basePath}/healthz`);

function check(listensOn: string | undefined, port: string, path: string): void {
  if (port === '0') {
    report(false, 'Set a port: 0 picks one that this check does not know.');
    return;
  }
  const url = `http://${addressOf(listensOn)}:${port}${path}`;
  const request = get(url, { agent: false, signal: AbortSignal.timeout(timeoutMs) });
  request.on('response', ({ statusCode }) =>
    report(statusCode === 200, `${url} returns ${statusCode}.`),
  );
  request.on('error', ({ message }) => report(false, `${url}: ${message}`));
}

/** Returns the address at which a listener is reached from its own machine. */
function addressOf(host = ''): string {
  if (['', '0.0.0.0', 'localhost'].includes(host)) return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

function report(isHealthy: boolean, line: string): void {
  process.stdout.write(`${line}\n`, () => process.exit(isHealthy ? 0 : 1));
}
