import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { FastifyInstance, onSendHookHandler } from 'fastify';
import { isStream } from './finished-response.js';

/** How long a response waits for others before the next request or response has it written at once, in milliseconds. */
const maxWaitMs = 1;

/**
 * Writes the responses that one turn of the event loop has decided together, at its end. A client that sleeps has to be
 * woken by the system call that writes to it: one that has several responses to come is woken once, not for each.
 */
@Injectable()
export class ResponseBatches {
  private waiting: (() => void)[] = [];
  private waitsSince = 0;
  private batches = 0;

  /** How many batches were written; a response alone is one, too. */
  stats(): { readonly batches: number } {
    return { batches: this.batches };
  }

  /**
   * Holds what is sent as a whole on the routes that are added from now on. Status and headers are those of the moment in
   * which it was decided, and it counts as sent: nothing else is sent for its request.
   */
  addTo(fastify: FastifyInstance): void {
    const hold: onSendHookHandler = (_request, reply, payload, done) => {
      if (isStream(payload)) return done(null, payload);
      this.hold(reply.raw);
      done(null, payload);
      reply.hijack();
    };
    fastify.addHook('onRequest', (_request, _reply, done) => {
      this.writeOld();
      done();
    });
    fastify.addHook('onRoute', (route) => {
      // The last one of all: what fails before may still become another response.
      route.onSend = [route.onSend ?? [], hold].flat();
    });
  }

  private hold(response: ServerResponse): void {
    const end = response.end.bind(response) as (...parameters: unknown[]) => ServerResponse;
    response.end = (...parameters: unknown[]) => {
      this.add(() => end(...parameters));
      return response;
    };
  }

  private add(one: () => void): void {
    this.waiting.push(one);
    if (this.waiting.length > 1) return this.writeOld();
    this.waitsSince = performance.now();
    setImmediate(this.writeAll);
  }

  /** Writes before the end of the turn what one slow request has held up, lest it waits for the next one too. */
  private writeOld(): void {
    const isOld = this.waiting.length > 0 && performance.now() - this.waitsSince >= maxWaitMs;
    if (isOld) this.writeAll();
  }

  private readonly writeAll = (): void => {
    const { waiting } = this;
    if (waiting.length === 0) return;
    this.waiting = [];
    this.batches += 1;
    for (const one of waiting) one();
  };
}
