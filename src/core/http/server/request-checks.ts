import { on } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { DomainError } from '../errors/domain-error.js';
import { httpErrors } from '../errors/http-errors.js';

const maxDrainedBytes = 8_388_608;
const maxDrainMs = 2_000;
/** After this many checks without new bytes, a client has stopped writing and can receive its response. */
const quietChecks = 4;
const checkIntervalMs = 25;

export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

export function isIncomplete(request: IncomingMessage): boolean {
  return hasBody(request) && !request.complete;
}

function expectsContinue({ headers, httpVersion }: IncomingMessage): boolean {
  return httpVersion !== '1.0' && /(?:^|\W)100-continue(?:$|\W)/i.test(headers.expect ?? '');
}

/** Another parser could frame or route such a request differently (rules HTTP-19 and HTTP-24). */
export function ambiguityError({ headers, rawHeaders, httpVersion }: IncomingMessage) {
  const hosts = countHosts(rawHeaders);
  if (hosts > 1 || (hosts === 0 && httpVersion !== '1.0')) return httpErrors.hostRequired;
  const encoding = headers['transfer-encoding']?.trim().toLowerCase();
  const isAmbiguous =
    // Bytes after an upgrade may follow the other protocol.
    headers.upgrade !== undefined ||
    (encoding !== undefined && (encoding.includes(',') || httpVersion === '1.0'));
  return isAmbiguous ? httpErrors.badRequest : undefined;
}

function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts;
}

/** Checks headers before the body is read (rules HTTP-2 and HTTP-18), then sends `100 Continue`. */
export function checkDeclaredBodies(fastify: FastifyInstance, maxBodyBytes: number): void {
  fastify.addHook('preParsing', ({ raw }, reply, _payload, done) => {
    if (!hasBody(raw)) return done();
    // The client left during the key lookup: no event would end the wait for the body.
    if (raw.destroyed && !raw.complete) return done(new DomainError(httpErrors.badRequest));
    const error = declaredBodyError(raw.headers, maxBodyBytes);
    if (error !== null) return done(new DomainError(error));
    if (expectsContinue(raw)) {
      delete raw.headers.expect;
      reply.raw.writeContinue();
    }
    // Data that arrived before a disconnect counts, however long the key lookup took.
    if (raw.destroyed) return done(null, Readable.from((raw.read() as Buffer | null) ?? []));
    done();
  });
}

function declaredBodyError(headers: IncomingHttpHeaders, maxBodyBytes: number) {
  if (Number(headers['content-length']) > maxBodyBytes) return httpErrors.bodyTooLarge;
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.trim().toLowerCase() !== 'identity') return httpErrors.unsupportedContentEncoding;
  const charset = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(headers['content-type'] ?? '')?.[1];
  return charset === undefined || /^utf-?8$/i.test(charset) ? null : httpErrors.unsupportedCharset;
}

/** Closing while the client still writes would reset the connection and lose the response. */
export async function drainBody(body: IncomingMessage): Promise<void> {
  // A client need not send a body that the server did not request.
  if (expectsContinue(body)) return;
  const signal = AbortSignal.timeout(maxDrainMs);
  let received = 0;
  try {
    for await (const [chunk] of on(body.resume(), 'data', { signal, close: ['end', 'close'] })) {
      received += (chunk as Buffer).length;
      if (received > maxDrainedBytes) return;
    }
  } catch {
    // The response is decided, so a late or malformed body does not matter.
  }
}

/** Several short checks, because right after a stall of this process one check would not see the bytes that wait. */
export async function untilClientPauses({ socket }: IncomingMessage): Promise<void> {
  const start = performance.now();
  let quiet = 0;
  while (quiet < quietChecks && performance.now() - start < maxDrainMs) {
    if (socket.readableEnded || socket.destroyed) return;
    const { bytesRead } = socket;
    await delay(checkIntervalMs);
    quiet = socket.bytesRead === bytesRead ? quiet + 1 : 0;
  }
}
