import { Inject, Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ENVIRONMENT, type Environment } from '../../configuration/environment.js';
import { DatabaseUnavailableError } from '../../database/connection/database-errors.js';
import { routeOptionsOf } from './route-options.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** In milliseconds since 1970; infinite for public endpoints, which limit their own wait. */
    expiresAt: number;
    deadlineTimer: NodeJS.Timeout | undefined;
    /** True once the deadline has sent the response: the handler's later one is dropped. */
    isOverdue: boolean;
  }
}

/** A request must not wait forever for a slow database: it gets a 503 with `Retry-After` (rule HTTP-12). */
@Injectable()
export class RequestDeadline {
  private readonly deadlineMs: number;

  constructor(@Inject(ENVIRONMENT) { DATABASE_DEADLINE_MS }: Environment) {
    this.deadlineMs = DATABASE_DEADLINE_MS;
  }

  decorate(fastify: FastifyInstance): void {
    fastify.decorateRequest('expiresAt', Infinity);
    fastify.decorateRequest('deadlineTimer', undefined);
    fastify.decorateRequest('isOverdue', false);
  }

  start(request: FastifyRequest, reply: FastifyReply): void {
    const { isPublic, maxWaitMs = 0 } = routeOptionsOf(request);
    if (isPublic !== true) run(request, reply, this.deadlineMs + maxWaitMs);
  }

  end({ deadlineTimer }: FastifyRequest): void {
    clearTimeout(deadlineTimer);
  }

  /** Excludes the time of this work from the deadline, such as the arrival of the body. */
  async exclude<T>(request: FastifyRequest, reply: FastifyReply, work: Promise<T>): Promise<T> {
    if (request.deadlineTimer === undefined) return work;
    clearTimeout(request.deadlineTimer);
    const rest = request.expiresAt - Date.now();
    try {
      return await work;
    } finally {
      run(request, reply, rest);
      const { caller, expiresAt } = request;
      if (caller) request.caller = { ...caller, expiresAt };
    }
  }
}

function run(request: FastifyRequest, reply: FastifyReply, milliseconds: number): void {
  request.expiresAt = Date.now() + milliseconds;
  request.deadlineTimer = setTimeout(respondUnavailable, milliseconds, request, reply);
}

function respondUnavailable(request: FastifyRequest, reply: FastifyReply): void {
  if (reply.sent) return;
  request.isOverdue = true;
  request.server.errorResponses.respond(new DatabaseUnavailableError(), request, reply);
}
