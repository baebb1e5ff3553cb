import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { unparsableRest } from './unparsable-requests.js';

/** How much of a body that is not used is still read, and for how long. */
const maxDrainedBytes = 8_388_608;
const maxDrainMs = 2_000;

/**
 * Reads the rest of a body before a response that does not wait for it, such as 401 or 413. Closing
 * a connection on which the client is still writing would reset it, and the response with it. A
 * connection on which the body has still not ended is closed with the response: nothing that comes
 * on it may get another one.
 */
export function drainBeforeEarlyResponses(fastify: FastifyInstance): void {
  fastify.addHook('onSend', ({ raw }, reply, _payload, done) => {
    const finish = () => {
      if (!raw.complete) reply.header('connection', 'close');
      done();
    };
    if (raw.complete || !announcesBody(raw)) return done();
    // A body that was not asked for need not come, and of one that failed nothing more does.
    if (awaitsContinue(raw) || unparsableRest(raw)) return finish();
    drain(raw, finish);
  });
}

/** Whether the client waits to be asked for its body. */
export function awaitsContinue({ headers, httpVersion }: IncomingMessage): boolean {
  return httpVersion !== '1.0' && /(?:^|\W)100-continue(?:$|\W)/i.test(headers.expect ?? '');
}

/** Whether a request's headers say that a body follows. */
export function announcesBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

function drain(body: IncomingMessage, done: () => void): void {
  let received = 0;
  const finish = () => {
    clearTimeout(timer);
    for (const event of ends) body.off(event, finish);
    body.off('data', count);
    done();
  };
  const count = (chunk: Buffer) => {
    received += chunk.length;
    if (received > maxDrainedBytes) finish();
  };
  const ends = ['end', 'close', 'error'] as const;
  const timer = setTimeout(finish, maxDrainMs);
  for (const event of ends) body.once(event, finish);
  body.on('data', count).resume();
}
