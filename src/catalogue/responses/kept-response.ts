import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { matchesTag } from '../../core/http/server/entity-tag.js';

/** A 200 to a read that is sent again, as it is, for a request like the one that it was made for. */
export interface KeptResponse {
  readonly tag: string;
  /** The headers of a 200, and of a 304. */
  readonly headers: Readonly<Record<string, string>>;
  readonly unchangedHeaders: Readonly<Record<string, string>>;
  /** As it is sent, compressed or not; null when only a 304 has been sent. */
  readonly body: Buffer | null;
  /** When the oldest of all that it shows began to be read. */
  readonly readAt: number;
}

/** What a response says of its body, and of itself; other headers belong to the request. */
const bodyHeaders = ['content-type', 'content-encoding'];
const responseHeaders = ['etag', 'vary', 'x-updated-as-of', 'x-ignored-fields'];

/** What is kept of a response that is about to be sent. */
export function keptResponse(
  reply: FastifyReply,
  body: Buffer | null,
  readAt: number,
): KeptResponse {
  const unchangedHeaders = headersOf(reply, responseHeaders);
  const headers = { ...unchangedHeaders, ...headersOf(reply, bodyHeaders) };
  return { tag: headers['etag'] ?? '', headers, unchangedHeaders, body, readAt };
}

function headersOf(reply: FastifyReply, names: readonly string[]): Record<string, string> {
  const present = names.filter((name) => reply.hasHeader(name));
  return Object.fromEntries(present.map((name) => [name, String(reply.getHeader(name))]));
}

/** Sends it, or 304 to who has it (rule HTTP-10); false when the client needs more than its tag. */
export function sendKept(
  kept: KeptResponse,
  request: FastifyRequest,
  reply: FastifyReply,
): boolean {
  if (matchesTag(request.headers['if-none-match'], kept.tag)) {
    void reply.code(304).headers(kept.unchangedHeaders).send();
    return true;
  }
  if (kept.body === null) return false;
  void reply.headers(kept.headers).send(kept.body);
  return true;
}

/** Whether what is sent comes in parts; also of the class of another library. */
export function isStream(payload: unknown): payload is Readable {
  return typeof (payload as Partial<Readable> | null | undefined)?.pipe === 'function';
}

/** Compressing gives a stream; its bytes have a length, and can be kept. */
export async function inOnePiece(
  stream: Readable,
  finish: (body: Buffer) => void,
  done: (error: Error | null, payload?: Buffer) => void,
): Promise<void> {
  try {
    const body = await buffer(stream);
    finish(body);
    done(null, body);
  } catch (error) {
    done(error as Error);
  }
}

/** In memory of their own: a slice would hold on to all that it was cut from. */
export function bytesOf(payload: string | Buffer | null): Buffer | null {
  if (payload === null) return null;
  if (typeof payload !== 'string' && payload.length === payload.buffer.byteLength) return payload;
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(payload));
  if (typeof payload === 'string') bytes.write(payload);
  else payload.copy(bytes);
  return bytes;
}
