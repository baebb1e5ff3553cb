import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** The connections whose last response is decided. */
const ended = new WeakSet<Socket>();

/**
 * Makes a response the last one of its connection: whatever comes behind its request is not carried out, as
 * nobody would get the response to it (RFC 9112, 9.6; rules HTTP-18, HTTP-19 and HTTP-24).
 */
export function makeLastResponse({ raw }: FastifyRequest, reply: FastifyReply): void {
  reply.header('connection', 'close');
  ended.add(raw.socket);
}

/** Whether nothing that comes behind a request is carried out. */
export function hasLastResponse({ raw }: FastifyRequest): boolean {
  return ended.has(raw.socket);
}

/** Leaves requests behind the last response alone; they end with their connection. To be added before all other hooks. */
export function ignoreBehindLastResponse(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (hasLastResponse(request)) reply.hijack();
    else done();
  });
}
