import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** How much of a body that is not used is still read, and for how long. */
const maxDrainedBytes = 8_388_608;
const maxDrainMs = 2_000;

/**
 * Reads the rest of a body before a response that does not wait for it, such as 413. Closing a
 * connection on which the client is still writing would reset it, and the response with it.
 */
export function drainBeforeEarlyResponses(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request, _reply, _payload, done) => {
    const { raw } = request;
    if (raw.complete || !announcesBody(raw)) return done();
    drain(raw, done);
  });
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
