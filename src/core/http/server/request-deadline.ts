import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DatabaseUnavailableError } from '../../database/connection/database-errors.js';
import { remainingDeadline } from './request-context.js';
import { routeOptionsOf } from './route-options.js';

declare module 'fastify' {
  interface FastifyRequest {
    deadlineTimer: NodeJS.Timeout | undefined;
  }
}

/**
 * Responds with 503 to a request that waited too long for the database (rule HTTP-12). Public
 * endpoints wait for nothing, or have a limit of their own; one that also waits for something else limits
 * its questions to the database itself.
 */
export function addRequestDeadline(fastify: FastifyInstance, deadlineMs: number): void {
  fastify.decorateRequest('deadlineTimer', undefined);
  fastify.addHook('preHandler', (request, reply, done) => {
    const { isPublic, longestWaitMs = 0 } = routeOptionsOf(request);
    if (isPublic !== true) {
      const rest = remainingDeadline(request, deadlineMs + longestWaitMs);
      request.deadlineTimer = setTimeout(respondUnavailable, rest, request, reply);
      if (request.caller) request.caller = { ...request.caller, expiresAt: Date.now() + rest };
    }
    done();
  });
  fastify.addHook('onSend', ({ deadlineTimer }, _reply, _payload, done) => {
    clearTimeout(deadlineTimer);
    done();
  });
}

function respondUnavailable(request: FastifyRequest, reply: FastifyReply): void {
  request.server.errorFilter.respond(new DatabaseUnavailableError(), request, reply);
}
