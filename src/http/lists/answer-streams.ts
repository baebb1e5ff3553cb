import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ENVIRONMENT, type Environment } from '../../configuration/environment.js';
import { withinDeadline } from '../../database/connection/deadline.js';

/** Largest answer that is sent as a whole, with an entity tag ("All endpoints" 9). */
const wholeUpTo = 4 * 1024 * 1024;

/** What the parts of an answer come from. */
type Parts = AsyncGenerator<string, void>;

/** An answer as it is handed to the framework. */
export type Answer = Buffer | Readable;

/**
 * Sends answers that are made part by part. A part is made when the client has taken the one before,
 * making them ends when the client has gone, and a fault in the middle cuts the connection, so that
 * nobody takes the half for the whole.
 */
@Injectable()
export class AnswerStreams {
  constructor(@Inject(ENVIRONMENT) private readonly environment: Environment) {}

  /**
   * An answer that is sent as a whole while it is small.
   *
   * @throws what making the parts throws before anything is sent
   */
  async wholeOrStreamed(reply: FastifyReply, parts: Parts): Promise<Answer> {
    const made: Buffer[] = [];
    for (let size = 0; size <= wholeUpTo;) {
      const part = await this.next(parts);
      if (part === null) return Buffer.concat(made);
      made.push(part);
      size += part.length;
    }
    return this.stream(reply, made, parts);
  }

  /**
   * An answer that is always streamed; its first part is made before the status is decided.
   *
   * @throws what making the first part throws
   */
  async streamed(reply: FastifyReply, parts: Parts): Promise<Answer> {
    const first = await this.next(parts);
    return this.stream(reply, first === null ? [] : [first], parts);
  }

  private stream(reply: FastifyReply, made: Buffer[], parts: Parts): Readable {
    // Bytes, not objects: otherwise sixteen parts would be made ahead of the client.
    return Readable.from(this.rest(reply, made, parts), { objectMode: false });
  }

  private async *rest(reply: FastifyReply, made: Buffer[], parts: Parts): AsyncGenerator<Buffer> {
    try {
      while (made.length > 0) yield made.shift() ?? Buffer.alloc(0);
      for (let part = await this.next(parts); part !== null; part = await this.next(parts)) {
        yield part;
      }
    } catch (error) {
      reply.request.log.error({ err: error }, 'The answer was cut off');
      reply.raw.destroy();
    } finally {
      // Not awaited: a database that does not answer must not keep the connection.
      void parts.return().catch(() => undefined);
    }
  }

  /** Waiting for the database is limited part by part; a slow client may take its time. */
  private async next(parts: Parts): Promise<Buffer | null> {
    const { value } = await withinDeadline(parts.next(), this.environment.DATABASE_DEADLINE_MS);
    return typeof value === 'string' ? Buffer.from(value) : null;
  }
}
