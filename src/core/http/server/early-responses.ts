import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { announcesBody, awaitsContinue } from './bodies.js';
import { hasLastResponse, makeLastResponse } from './last-responses.js';
import { bodyFailure } from './unparsable-requests.js';

/** How much of a body that is not used is still read, and for how long. */
const maxDrainedBytes = 8_388_608;
const maxDrainMs = 2_000;
/** A client that has sent nothing for so long waits for its response. */
const quietMs = 100;

/**
 * Reads the rest of a body before a response that does not wait for it, such as 401 or 413. Closing
 * a connection on which the client is still writing would reset it, and the response with it. A
 * connection on which the body has still not ended is closed with the response: nothing that comes
 * on it may get another one. One on which it has ended stays, also where the body is no JSON.
 */
export function drainBeforeEarlyResponses(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request, reply, _payload, done) => {
    const { raw } = request;
    const finish = () => {
      if (!raw.complete) makeLastResponse(request, reply);
      // The framework closes the connection with every body that it could not parse.
      else if (!hasLastResponse(request)) reply.removeHeader('connection');
      done();
    };
    if (!announcesBody(raw)) return done();
    if (raw.complete) return finish();
    const failure = bodyFailure(raw);
    if (failure === 'while it was read') return untilQuiet(raw.socket, finish);
    // A body that was not asked for need not come, and whoever does not read it may respond meanwhile.
    if (failure !== undefined || awaitsContinue(raw)) return finish();
    drain(raw, finish);
  });
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

/** Bytes that are no HTTP are taken and forgotten; only the connection knows that they come. */
function untilQuiet(socket: Socket, done: () => void): void {
  const start = performance.now();
  let bytes = -1;
  const look = () => {
    const isQuiet = socket.bytesRead === bytes || socket.readableEnded || socket.destroyed;
    if (isQuiet || performance.now() - start > maxDrainMs) return done();
    bytes = socket.bytesRead;
    setTimeout(look, quietMs);
  };
  look();
}
