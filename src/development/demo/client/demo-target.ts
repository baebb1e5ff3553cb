import type { AppOptions } from '../../../app.module.js';
import type { Environment } from '../../../core/configuration/environment.js';
import { listen, type Service } from '../../../start.js';
import { difference } from './difference.js';
import { type DemoAddress, exchange } from './demo-client.js';

/** Where the demo's requests go. */
export interface DemoTarget {
  readonly url: string;
  readonly isRunningAlready: boolean;
}

/**
 * The service that runs at PORT already when it works on the same database, which is when it
 * accepts the key; otherwise the given service, which then starts listening.
 */
export async function chooseTarget(
  { PORT }: Environment,
  own: { readonly service: Service; readonly options: AppOptions },
  key: string,
): Promise<DemoTarget> {
  const url = `http://127.0.0.1:${PORT}`;
  if (await acceptsKey({ url, key })) return { url, isRunningAlready: true };
  return { url: await listen(own.service, own.options), isRunningAlready: false };
}

async function acceptsKey(address: DemoAddress): Promise<boolean> {
  try {
    // The key is shown only to what says that it is this service.
    const health = await exchange(address, { method: 'GET', path: 'healthz', key: null });
    const healthy = { description: 'Integration API', ok: true };
    if (difference(health.body, healthy, 'body') !== null) return false;
    const lead = await exchange(address, { method: 'GET', path: 'leads/no-such-lead' });
    return lead.status === 200 || lead.status === 404;
  } catch {
    return false;
  }
}
