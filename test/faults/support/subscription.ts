import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ObjectId } from 'mongodb';

/** Lets a service deliver to receivers on loopback. */
export const toLoopback = {
  WEBHOOKS_ALLOW_HTTP: 'true',
  WEBHOOKS_ALLOW_PRIVATE_NETWORKS: 'true',
};

const commandLine = join(import.meta.dirname, '../../../dist/cli.js');

/** Subscribes a receiver to all events of an organization, as an operator does. */
export async function subscribe(uri: string, organizationId: ObjectId, url: string): Promise<void> {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const args = ['webhook', 'add', '--org', String(organizationId), '--url', url, '--events', '*'];
  await promisify(execFile)(process.execPath, [commandLine, ...args, '--json'], {
    env: { PATH, HOME, NODE_COMPILE_CACHE, NODE_ENV: 'test', MONGODB_URI: uri, ...toLoopback },
  });
}
