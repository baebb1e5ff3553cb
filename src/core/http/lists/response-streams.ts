import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ENVIRONMENT, type Environment } from '../../configuration/environment.js';
import { withinDeadline } from '../../database/connection/deadline.js';
import { DomainError } from '../errors/domain-error.js';
import { httpErrors } from '../errors/http-errors.js';
import { UnsentResponses } from '../rate-limit/unsent-responses.js';
import { mebibyte } from '../../values/numbers.js';

/** Largest response that is sent as a whole, with an entity tag (rule HTTP-10). */
const maxBufferedBytes = 4 * mebibyte;

type Parts = AsyncGenerator<Buffer, void>;

/** A response body as the framework takes it. */
export type ResponseBody = Buffer | Readable;

/**
 * Sends responses that are produced part by part. A part is produced when the client has read the
 * one before, producing ends when the client disconnects, and an error midway cuts the connection,
 * so that an incomplete response cannot pass for a complete one (rule HTTP-10).
 */
@Injectable()
export class ResponseStreams {
  constructor(
    private readonly unsentResponses: UnsentResponses,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /**
   * A response that is sent as a whole while it is small.
   *
   * @throws what producing the parts throws before anything is sent; DomainError 429 when too much
   *   waits for the clients of the API key
   */
  async wholeOrStreamed(reply: FastifyReply, parts: Parts): Promise<ResponseBody> {
    const buffered: Buffer[] = [];
    for (let size = 0; size <= maxBufferedBytes;) {
      const part = await this.next(parts);
      if (part === null) return Buffer.concat(buffered);
      buffered.push(part);
      size += part.length;
      const bytes = size;
      if (!this.unsentResponses.hold(reply, () => bytes)) {
        close(parts);
        throw new DomainError(httpErrors.rateLimited);
      }
    }
    return this.stream(reply, buffered, parts);
  }

  /**
   * A response that is always streamed; its first part is produced before the status is decided.
   *
   * @throws what producing the first part throws
   */
  async streamed(reply: FastifyReply, parts: Parts): Promise<ResponseBody> {
    const first = await this.next(parts);
    return this.stream(reply, first === null ? [] : [first], parts);
  }

  private stream(reply: FastifyReply, buffered: Buffer[], parts: Parts): Readable {
    const { request } = reply;
    // A HEAD has no body, and of a response that is over already nobody takes one.
    if (request.method === 'HEAD' || reply.sent) {
      close(parts);
      return Readable.from([]);
    }
    // Bytes, not objects: otherwise sixteen parts would be produced ahead of the client.
    const stream = Readable.from(this.rest(reply, parts), { objectMode: false });
    // Not by the generator: in the stream they are counted as unsent.
    for (const part of buffered) stream.push(part);
    // Not in the generator: one that is closed before it has started runs no `finally`.
    return stream.once('close', () => {
      close(parts);
      // For a client that has left, the framework drops the stream and sends nothing: the response would
      // stay undecided until its deadline, and be logged as a failure of the database.
      if (!request.isDecided) void reply.send(Readable.from([]));
    });
  }

  private async *rest(reply: FastifyReply, parts: Parts): AsyncGenerator<Buffer> {
    try {
      for (let part = await this.next(parts); part !== null; part = await this.next(parts)) {
        yield part;
      }
    } catch (error) {
      reply.request.log.error({ err: error }, 'The response was cut off');
      reply.raw.destroy();
    }
  }

  /** Waiting for the database is limited part by part; a slow client may take its time. */
  private async next(parts: Parts): Promise<Buffer | null> {
    try {
      const { value } = await withinDeadline(parts.next(), this.environment.DATABASE_DEADLINE_MS);
      return value ?? null;
    } catch (error) {
      close(parts);
      throw error;
    }
  }
}

/** Ends producing. Not awaited: a database that does not respond must not keep the connection. */
function close(parts: Parts): void {
  void parts.return().catch(() => undefined);
}

/** Batches of what a list shows. */
export type Batches<T> = AsyncIterable<readonly T[]>;

const beginning = '{"data":[';

/**
 * The parts of the text of `{ "data": [...] }`, with further fields behind the list.
 *
 * @param rest the further fields, given how many items the list has
 */
export async function* listText(
  batches: Batches<object>,
  rest: (count: number) => object = () => ({}),
): AsyncGenerator<Buffer, void> {
  let count = 0;
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    yield Buffer.from((count === 0 ? beginning : ',') + inside(batch));
    count += batch.length;
  }
  const fields = inside(rest(count));
  const end = fields === '' ? ']}' : `],${fields}}`;
  yield Buffer.from(count === 0 ? beginning + end : end);
}

/** The parts of a list with one item a line. */
export async function* linesText(batches: Batches<object>): AsyncGenerator<Buffer, void> {
  for await (const batch of batches) {
    yield Buffer.from(batch.map((item) => `${JSON.stringify(item)}\n`).join(''));
  }
}

/** The JSON of a list or an object without the brackets around it. */
function inside(value: object): string {
  return JSON.stringify(value).slice(1, -1);
}
