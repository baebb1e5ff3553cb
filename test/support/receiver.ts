import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from './eventually.js';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders & Record<string, string>;
  readonly body: string;
  readonly bytes: Buffer;
  readonly at: number;
}

/** Sends the response immediately, later or never. */
export type Respond = (received: Received, response: Parameters<RequestListener>[1]) => void;

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  respondWith(respond: Respond | number): void;
  /** Waits until the receiver has at least this many requests, and returns them. */
  receivedRequests(count: number): Promise<Received[]>;
  stop(): Promise<void>;
}

export async function startReceiver(first: Respond | number = 204): Promise<Receiver> {
  const received: Received[] = [];
  let respond = toRespond(first);
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const bytes = Buffer.concat(chunks);
      const item = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers as Received['headers'],
        body: bytes.toString('utf8'),
        bytes,
        at: Date.now(),
      };
      received.push(item);
      respond(item, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    respondWith: (next) => (respond = toRespond(next)),
    receivedRequests: async (count) => {
      await eventually(() => {
        if (received.length < count) throw new Error(`${received.length} of ${count} received`);
      });
      return received;
    },
    stop: () => close(server),
  };
}

function toRespond(respond: Respond | number): Respond {
  if (typeof respond !== 'number') return respond;
  return (_received, response) => response.writeHead(respond).end();
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
