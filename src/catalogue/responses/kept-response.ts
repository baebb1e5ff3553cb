import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { FastifyReply } from 'fastify';
import type { FinishedResponse } from '../../core/http/server/finished-response.js';

/** What is sent again for a request like the one that it was made for. */
export interface KeptResponse extends FinishedResponse {
  /** As it is sent, compressed or not. */
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
