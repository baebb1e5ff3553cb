import { Inject, Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ENVIRONMENT, type Environment } from '../../configuration/environment.js';
import {
  DatabaseUnavailableError,
  withinDeadline,
} from '../../database/connection/database-errors.js';
import { routeOptionsOf } from './route-options.js';

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Start of the database wait, in `performance.now()` ms. While the body arrives, the wait is paused, and the
     * value is the negated time waited so far.
     */
    databaseWaitStartedAt: number;
    deadlineTimer: NodeJS.Timeout | undefined;
  }
}

/** A request must not wait forever for a slow database: it gets a 503 with `Retry-After` (rule HTTP-12). */
@Injectable()
export class RequestDeadline {
  private readonly deadlineMs: number;

  constructor(@Inject(ENVIRONMENT) { DATABASE_DEADLINE_MS }: Environment) {
    this.deadlineMs = DATABASE_DEADLINE_MS;
  }

  within<T>(request: FastifyRequest, work: Promise<T>): Promise<T> {
    return withinDeadline(work, this.remainingMs(request));
  }

  addTo(fastify: FastifyInstance): void {
    fastify.decorateRequest('databaseWaitStartedAt', 0);
    fastify.decorateRequest('deadlineTimer', undefined);
    fastify.addHook('onRequest', (request, _reply, done) => {
      request.databaseWaitStartedAt = performance.now();
      done();
    });
    fastify.addHook('preParsing', (request, _reply, _payload, done) => {
      request.databaseWaitStartedAt -= performance.now();
      done();
    });
    fastify.addHook('preHandler', (request, reply, done) => {
      request.databaseWaitStartedAt += performance.now();
      const { isPublic, maxWaitMs = 0 } = routeOptionsOf(request);
      // Public endpoints wait for nothing or limit their own wait.
      if (isPublic !== true) {
        const rest = this.remainingMs(request) + maxWaitMs;
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

  /** If the hooks of this class did not run, the whole deadline remains. */
  private remainingMs({
    databaseWaitStartedAt: startedAt = performance.now(),
  }: Partial<FastifyRequest>): number {
    return Math.max(0, this.deadlineMs - (performance.now() - startedAt));
  }
}

function respondUnavailable(request: FastifyRequest, reply: FastifyReply): void {
  // The response to a request with an unread body waits for the body.
  if (request.hasResponse) return;
  request.server.errorResponses.respond(new DatabaseUnavailableError(), request, reply);
}
