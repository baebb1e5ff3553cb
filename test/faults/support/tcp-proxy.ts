import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * The proxy drops the connection before a commit arrives, after half of it has arrived, or before its response; or it
 * holds the commit back and leaves the connection open.
 */
export type Cut = 'before' | 'within' | 'after' | 'held';

/** May be changed at any time, also for open connections. */
export interface NetworkFaults {
  /** Returns the delay of a chunk of this many bytes, in milliseconds. */
  delayMs: (bytes: number) => number;
  /** Called for each commit; undefined lets it pass. */
  cutCommit: () => Cut | undefined;
}

export const noFaults: NetworkFaults = { delayMs: () => 0, cutCommit: () => undefined };

const commit = Buffer.from('commitTransaction');

/** Starts a proxy, without faults at first, to a MongoDB server on a local port or a Unix socket. */
export async function startTcpProxy(target: number | string) {
  const faults = { ...noFaults };
  const clients = new Set<Socket>();
  const held: Buffer[] = [];
  let cuts = 0;
  let paused = Promise.withResolvers<void>();
  paused.resolve();
  const connectToServer = () =>
    typeof target === 'number' ? connect(target, '127.0.0.1') : connect(target);
  const server = createServer((client) => {
    const database = connectToServer();
    clients.add(client.setNoDelay(true));
    database.setNoDelay(true);
    let isResponseLost = false;
    async function* delayed(source: AsyncIterable<Buffer>) {
      for await (const chunk of source) {
        await paused.promise;
        const milliseconds = faults.delayMs(chunk.length);
        if (milliseconds > 0) await delay(milliseconds);
        yield chunk;
      }
    }
    async function* requests(source: AsyncIterable<Buffer>) {
      for await (const chunk of delayed(source)) {
        const cut = chunk.includes(commit) ? faults.cutCommit() : undefined;
        if (cut !== undefined) cuts++;
        isResponseLost ||= cut === 'after';
        if (cut === 'held') held.push(chunk);
        else if (cut !== 'before')
          yield cut === 'within' ? chunk.subarray(0, chunk.length / 2) : chunk;
        if (cut === 'before' || cut === 'within') return;
      }
    }
    async function* responses(source: AsyncIterable<Buffer>) {
      for await (const chunk of delayed(source)) {
        if (isResponseLost) return;
        yield chunk;
      }
    }
    pipeline(client, requests, database, responses, client, () => {
      clients.delete(client.destroy());
      database.destroy();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    faults,
    /** Returns the number of commits that were held back or whose connection was dropped. */
    cuts: () => cuts,
    /** Lets the server receive and answer the commits that were held back, even if their sender has died. */
    deliverHeld: async () => {
      for (const chunk of held.splice(0)) {
        const connection = connectToServer();
        connection.write(chunk);
        await once(connection, 'data');
        connection.destroy();
      }
    },
    /** Lets all connections hang without closing them. */
    pause: () => {
      paused = Promise.withResolvers();
    },
    resume: () => paused.resolve(),
    stop: () => {
      server.close();
      for (const client of clients) client.destroy();
    },
  };
}
