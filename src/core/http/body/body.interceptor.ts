import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Long } from 'mongodb';
import type { Observable } from 'rxjs';
import { ENVIRONMENT, type Environment } from '../../configuration/environment.js';
import { mebibyte } from '../../values/numbers.js';
import { DomainError } from '../../errors/domain-error.js';
import { httpErrors } from '../../errors/http-errors.js';
import { bodyFailures } from '../server/connections.js';
import { hasBody } from '../server/request-body.js';
import { RequestDeadline } from '../requests/request-deadline.js';
import { routeOptionsOf } from '../requests/route-options.js';
import { fieldNamesOf } from '../../validation/dto-reader.js';
import { parseJsonBody } from './json-body.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Throws to refuse the raw body, which is empty for a request without one. */
    verifyRawBody: ((body: Buffer) => void) | null;
  }
}

/** The rest of a longer body is not awaited: the connection closes with the response. */
const maxIgnoredBytes = 16 * mebibyte;

const emptyBody = Buffer.alloc(0);
const toInteger = (integer: bigint) => Long.fromBigInt(integer);

/**
 * Reads and parses the body after the guards, so that nobody without a key costs more than headers (rule HTTP-2). The
 * signature of a callback is the one exception: only the raw body shows whether it is right.
 */
@Injectable()
export class BodyInterceptor implements NestInterceptor {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly deadline: RequestDeadline,
  ) {}

  intercept(
    context: ExecutionContext,
    next: CallHandler,
  ): Observable<unknown> | Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    if (request.method === 'GET' || request.method === 'HEAD') return next.handle();
    const reply = http.getResponse<FastifyReply>();
    return this.receive(request, reply).then(() => next.handle());
  }

  private async receive(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { headers, method } = request;
    this.checkHeaders(request, reply);
    const body = hasBody(request.raw.headers)
      ? await this.deadline.exclude(request, reply, this.read(request, reply))
      : emptyBody;
    request.verifyRawBody?.(body);
    const isAbsent =
      body.length === 0 && (method === 'DELETE' || headers['content-type'] === undefined);
    request.body = isAbsent ? undefined : this.parse(request, body);
  }

  /** Judges what is announced: the length, then the encoding, then the type (rules HTTP-2 and HTTP-18). */
  private checkHeaders(request: FastifyRequest, reply: FastifyReply): void {
    const { headers, mediaType, method } = request;
    if (hasBody(request.raw.headers)) {
      const length = Number(headers['content-length'] ?? 0);
      if (length > maxIgnoredBytes) reply.header('connection', 'close');
      if (length > this.environment.BODY_LIMIT_BYTES)
        throw new DomainError(httpErrors.bodyTooLarge);
      const encoding = headers['content-encoding'] ?? 'identity';
      if (encoding.trim().toLowerCase() !== 'identity')
        throw new DomainError(httpErrors.unsupportedContentEncoding);
      const charset = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(headers['content-type'] ?? '')?.[1];
      if (charset !== undefined && !/^utf-?8$/i.test(charset))
        throw new DomainError(httpErrors.unsupportedCharset);
    } else if (method === 'DELETE' || mediaType === undefined) return;
    if (mediaType !== 'application/json') throw new DomainError(httpErrors.unsupportedMediaType);
  }

  /** Without `destroyOnReturn`, the connection would end before the client could read its 413. */
  private async read({ raw }: FastifyRequest, reply: FastifyReply): Promise<Buffer> {
    // Data that arrived before a disconnect counts, however long the key lookup took.
    if (raw.destroyed && raw.complete) return (raw.read() as Buffer | null) ?? emptyBody;
    if (raw.httpVersion !== '1.0' && /100-continue/i.test(raw.headers.expect ?? '')) {
      reply.raw.writeContinue();
      // From now on, the client sends the whole body.
      delete raw.headers.expect;
    }
    const parts: Buffer[] = [];
    let length = 0;
    try {
      const failure = bodyFailures.get(raw);
      if (failure !== undefined) throw failure;
      for await (const part of raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        length += part.length;
        if (length > this.environment.BODY_LIMIT_BYTES) break;
        parts.push(part);
      }
    } catch (error) {
      // Otherwise the client has disconnected.
      throw error instanceof DomainError ? error : new DomainError(httpErrors.badRequest);
    }
    if (length <= this.environment.BODY_LIMIT_BYTES) return Buffer.concat(parts);
    raw.resume();
    throw new DomainError(httpErrors.bodyTooLarge);
  }

  private parse(request: FastifyRequest, body: Buffer): unknown {
    const { envelopeDepth = 0, roundsNumbers, readsOnlyFieldsOf } = routeOptionsOf(request);
    return parseJsonBody(body, {
      maxDepth: this.environment.JSON_DEPTH_LIMIT + envelopeDepth,
      toInteger,
      roundsNumbers,
      fields: readsOnlyFieldsOf && [...fieldNamesOf(readsOnlyFieldsOf)],
    });
  }
}
