import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect } from '@jest/globals';
import { eventually } from '../../support/eventually.js';

/** Each worker of Jest has ports of its own, so that no other test takes a port whose server is down. */
const firstPort = 20_000 + 1_000 * Number(process.env['JEST_WORKER_ID'] ?? 0);

/**
 * Returns a free port that no outgoing connection takes while its server is down, because outgoing connections use
 * higher ports.
 */
export async function fixedPort(): Promise<number> {
  const port = firstPort + randomInt(1_000);
  return (await isFree(port)) ? port : fixedPort();
}

/** The system may keep the port of a killed process for a moment. */
export async function untilFree(port: number): Promise<void> {
  await eventually(async () => expect(await isFree(port)).toBe(true));
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
