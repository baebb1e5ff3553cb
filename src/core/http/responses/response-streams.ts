import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ENVIRONMENT, type Environment } from '../../configuration/environment.js';
import { withinDeadline } from '../../database/connection/database-errors.js';
import { jsonLine } from '../../values/json.js';
import { mebibyte } from '../../values/numbers.js';
import Negotiator from 'negotiator';

/** Longer responses are streamed (rule HTTP-10). */
const maxBufferedBytes = 4 * mebibyte;

type Parts = AsyncGenerator<Buffer, void>;

export type ResponseBody = Buffer | Readable;

/**
 * Produces each part when the client has read the previous one. An error midway cuts the connection: a partial
 * response must not look complete (rule HTTP-10).
 */
@Injectable()
export class ResponseStreams {
  constructor(@Inject(ENVIRONMENT) private readonly environment: Environment) {}

  async bufferOrStream(reply: FastifyReply, parts: Parts): Promise<ResponseBody> {
    const buffered: Buffer[] = [];
    for (let size = 0; size <= maxBufferedBytes;) {
      const part = await this.next(parts);
      if (part === null) return Buffer.concat(buffered);
      buffered.push(part);
      size += part.length;
    }
    return this.toStream(reply, buffered, parts);
  }

  /** Produces the first part before it sends the status, so that an error can still decide it. */
  async stream(reply: FastifyReply, parts: Parts): Promise<ResponseBody> {
    const first = await this.next(parts);
    return this.toStream(reply, first === null ? [] : [first], parts);
  }

  private toStream(reply: FastifyReply, buffered: Buffer[], parts: Parts): Readable {
    const { request } = reply;
    if (request.method === 'HEAD' || reply.sent) {
      close(parts);
      return Readable.from([]);
    }
    // In object mode, Node would produce sixteen parts ahead of the client.
    const stream = Readable.from(this.rest(reply, parts), { objectMode: false });
    // Only parts inside the stream count as unsent.
    for (const part of buffered) stream.push(part);
    // A generator that is closed before its start runs no `finally`.
    return stream.once('close', () => {
      close(parts);
      // Fastify sends nothing to a disconnected client; the deadline would log a database failure.
      if (!request.isResponseDecided) void reply.send(Readable.from([]));
    });
  }

  private async *rest(reply: FastifyReply, parts: Parts): AsyncGenerator<Buffer> {
    try {
      for (let part = await this.next(parts); part !== null; part = await this.next(parts)) {
        yield part;
      }
    } catch (error) {
      const { log, id } = reply.request;
      log.error(
        { reqId: id, err: error },
        'Could not complete the response; closed the connection',
      );
      reply.raw.destroy();
    }
  }

  /** The deadline applies to each part, so that slow clients can take longer. */
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

/** Not awaited: an unresponsive database must not hold the connection. */
function close(parts: Parts): void {
  void parts.return().catch(() => undefined);
}

export type Batches<T> = AsyncIterable<readonly T[]>;

const listPrefix = '{"data":[';

/** @param rest returns the fields after the list, given the number of its items */
export async function* jsonList(
  batches: Batches<object>,
  rest: (count: number) => object = () => ({}),
): AsyncGenerator<Buffer, void> {
  let count = 0;
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    yield Buffer.from((count === 0 ? listPrefix : ',') + listContents(batch));
    count += batch.length;
  }
  const fields = listContents(rest(count));
  const end = fields === '' ? ']}' : `],${fields}}`;
  yield Buffer.from(count === 0 ? listPrefix + end : end);
}

/** The format is NDJSON: one item per line. */
export async function* jsonLines(batches: Batches<object>): AsyncGenerator<Buffer, void> {
  for await (const batch of batches) {
    yield Buffer.from(batch.map((item) => jsonLine(JSON.stringify(item))).join(''));
  }
}

function listContents(value: object): string {
  return JSON.stringify(value).slice(1, -1);
}

const parameter = /;\s*(?!q\s*=)[^;,\s]+/gi;

export function acceptedType<T extends string>(
  { headers }: Pick<FastifyRequest, 'headers'>,
  types: readonly T[],
): T | undefined {
  const accept = headers.accept?.replace(parameter, '');
  const negotiator = new Negotiator({ headers: accept === undefined ? {} : { accept } });
  return negotiator.mediaType([...types]) as T | undefined;
}

export function addVary(reply: FastifyReply, name: string): void {
  reply.header('vary', `${String(reply.getHeader('vary'))}, ${name}`);
}
