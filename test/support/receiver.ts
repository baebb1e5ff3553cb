import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from './eventually.js';

/** A request as a receiver got it. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders & Record<string, string>;
  readonly body: string;
  readonly at: number;
}

/** How a receiver answers; it may take its time, or never end. */
export type Answer = (received: Received, response: Parameters<RequestListener>[1]) => void;

/** An HTTP server on loopback that keeps what it gets. */
export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** Changes how it answers. */
  answerWith(answer: Answer | number): void;
  /** Waits until it has got a number of requests, and gives them. */
  got(count: number): Promise<Received[]>;
  stop(): Promise<void>;
}

/** Starts a receiver; it answers 204 until told otherwise. */
export async function startReceiver(first: Answer | number = 204): Promise<Receiver> {
  const received: Received[] = [];
  let answer = toAnswer(first);
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const item = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers as Received['headers'],
        body: Buffer.concat(chunks).toString('utf8'),
        at: Date.now(),
      };
      received.push(item);
      answer(item, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answerWith: (next) => (answer = toAnswer(next)),
    got: async (count) => {
      await eventually(() => {
        if (received.length < count) throw new Error(`${received.length} of ${count} came`);
      });
      return received;
    },
    stop: () => close(server),
  };
}

function toAnswer(answer: Answer | number): Answer {
  if (typeof answer !== 'number') return answer;
  return (_received, response) => response.writeHead(answer).end();
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
