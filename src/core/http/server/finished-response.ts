import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { matchesTag } from './entity-tag.js';

/** A 200 to a read that is sent as it is to whoever may have it, without being made again. */
export interface FinishedResponse {
  readonly tag: string;
  /** The headers of a 200, and of a 304. */
  readonly headers: Readonly<Record<string, string>>;
  readonly unchangedHeaders: Readonly<Record<string, string>>;
  /** Null when only a 304 has been sent. */
  readonly body: Buffer | string | null;
}

/** Sends a finished response, or 304 to who has it (rule HTTP-10); false when the client needs more than its tag. */
export function sendFinished(
  finished: FinishedResponse,
  request: FastifyRequest,
  reply: FastifyReply,
): boolean {
  if (matchesTag(request.headers['if-none-match'], finished.tag)) {
    void reply.code(304).headers(finished.unchangedHeaders).send();
    return true;
  }
  if (finished.body === null) return false;
  void reply.headers(finished.headers).send(finished.body);
  return true;
}

/** Whether what is sent comes in parts; also of the class of another library. */
export function isStream(payload: unknown): payload is Readable {
  return typeof (payload as Partial<Readable> | null | undefined)?.pipe === 'function';
}
