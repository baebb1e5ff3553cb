import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** Where a connection is cut when a commit is asked for: it does not arrive, half of it, or its answer does not come back. */
export type Cut = 'before' | 'within' | 'after';

/** Changes to the traffic of a proxy; mutable at any time. */
export interface Weather {
  /** How long each piece waits, in milliseconds. */
  latencyMs: number;
  /** How much passes in each direction of a connection; 0 is no limit. */
  bytesPerSecond: number;
  /** Asked for each commit; undefined lets it pass. */
  cutCommit: () => Cut | undefined;
}

/** A way to a MongoDB server that is as bad as a test wants it. */
export interface TcpProxy {
  readonly port: number;
  readonly weather: Weather;
  /** Commits that were cut. */
  readonly cuts: () => number;
  /** Lets all connections hang without closing them. */
  pause(): void;
  resume(): void;
  stop(): void;
}

const commit = Buffer.from('commitTransaction');
const pieceBytes = 4_096;

/** Starts a proxy to a port of this machine or a Unix socket, with fair weather. */
export async function startTcpProxy(target: number | string): Promise<TcpProxy> {
  const weather: Weather = { latencyMs: 0, bytesPerSecond: 0, cutCommit: () => undefined };
  const sockets = new Set<Socket>();
  let cuts = 0;
  let isPaused = false;
  const server = createServer((client) => {
    const database = typeof target === 'number' ? connect(target, '127.0.0.1') : connect(target);
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        database.destroy();
      });
    }
    const cutAt = async (chunk: Buffer): Promise<boolean> => {
      const cut = chunk.includes(commit) ? weather.cutCommit() : undefined;
      if (cut === undefined) return false;
      cuts++;
      if (cut === 'within') database.write(chunk.subarray(0, chunk.length / 2));
      if (cut === 'after') {
        // The answer is there, and goes no further.
        database.removeAllListeners('data');
        database.write(chunk);
        await Promise.race([once(database, 'data'), delay(1_000)]).catch(() => undefined);
      }
      client.destroy();
      return true;
    };
    passOn(client, database, weather, cutAt);
    passOn(database, client, weather);
    if (isPaused) client.pause();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    weather,
    cuts: () => cuts,
    pause: () => {
      isPaused = true;
      for (const socket of sockets) socket.pause();
    },
    resume: () => {
      isPaused = false;
      for (const socket of sockets) socket.resume();
    },
    stop: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Forwards bytes in order; a delay also delays later bytes. */
function passOn(
  from: Socket,
  to: Socket,
  weather: Weather,
  isCut: (chunk: Buffer) => Promise<boolean> = () => Promise.resolve(false),
): void {
  let last: Promise<unknown> = Promise.resolve();
  const pass = async (chunk: Buffer, arrivedAt: number) => {
    if (await isCut(chunk)) return;
    const { latencyMs, bytesPerSecond } = weather;
    if (latencyMs > 0) await delay(Math.max(0, arrivedAt + latencyMs - Date.now()));
    if (bytesPerSecond === 0) {
      if (to.writable) to.write(chunk);
      return;
    }
    for (let sent = 0; sent < chunk.length && to.writable; sent += pieceBytes) {
      const piece = chunk.subarray(sent, sent + pieceBytes);
      await delay((piece.length / bytesPerSecond) * 1_000);
      if (to.writable) to.write(piece);
    }
  };
  from.on('data', (chunk: Buffer) => {
    const arrivedAt = Date.now();
    last = last.then(() => pass(chunk, arrivedAt));
  });
}
