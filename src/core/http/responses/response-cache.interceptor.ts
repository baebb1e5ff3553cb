import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { lastValueFrom, type Observable, of } from 'rxjs';
import { acceptedEncoding, compressions, minCompressedBytes } from './compression.js';
import { entityTag, matchesTag } from './entity-tags.js';
import { jsonContentType } from '../../values/json.js';
import { type CachedResponse, TenantCache } from '../../cache/tenant-cache.js';

/** A client sends each value of these parameters only once, so a cache would not help. */
const uniqueParameters = ['after', 'updatedSince'];

const sharedHeaders = ['content-type', 'vary', 'x-updated-as-of', 'x-ignored-fields'];

/** Repeats responses for a second (rule DATA-6), with their tags and compressed. */
@Injectable()
export class ResponseCacheInterceptor implements NestInterceptor {
  constructor(private readonly cache: TenantCache) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const key = keyOf(request);
    if (request.caller === undefined || key === undefined) return next.handle();
    const reply = http.getResponse<FastifyReply>();
    let unshared: unknown;
    const response = await this.cache.fetch(request.caller.organizationId, key, async () => {
      const result: unknown = await lastValueFrom(next.handle());
      if (isStream(result)) unshared = result;
      return isStream(result) ? undefined : cachedResponse(result, request, reply);
    });
    if (response === undefined) return unshared === undefined ? next.handle() : of(unshared);
    reply.headers({ ...response.headers, etag: response.tag });
    if (matchesTag(request.headers['if-none-match'], response.tag)) {
      reply.status(304).removeHeader('content-type').removeHeader('content-encoding');
      return of(undefined);
    }
    return of(await response.body());
  }
}

/** The key contains what differs between callers, such as permissions. */
function keyOf({ method, caller, headers, query, raw, language }: FastifyRequest) {
  if (method !== 'GET' || headers['x-no-compression'] !== undefined) return undefined;
  if (uniqueParameters.some((name) => Object.hasOwn(query as object, name))) return undefined;
  const encoding = acceptedEncoding(headers);
  return JSON.stringify([raw.url, caller?.permissionsJson, language, encoding]);
}

function cachedResponse(
  result: unknown,
  { headers: accepted }: FastifyRequest,
  reply: FastifyReply,
): CachedResponse {
  const body = Buffer.isBuffer(result) ? result : Buffer.from(JSON.stringify(result));
  const encoding = acceptedEncoding(accepted);
  const isCompressed = encoding !== 'identity' && body.length >= minCompressedBytes;
  const set = sharedHeaders.filter((name) => reply.hasHeader(name));
  return {
    headers: {
      'content-type': jsonContentType,
      ...Object.fromEntries(set.map((name) => [name, String(reply.getHeader(name))])),
      ...(isCompressed && { 'content-encoding': encoding }),
    },
    tag: entityTag(body, encoding),
    bytes: body.length,
    body: isCompressed ? compressedOnce(body, encoding) : () => body,
  };
}

/** Nobody needs it compressed while all clients get a 304; afterwards nobody needs the original. */
function compressedOnce(body: Buffer, encoding: keyof typeof compressions): () => Promise<Buffer> {
  let original: Buffer | undefined = body;
  let compressed: Promise<Buffer> | undefined;
  return () => {
    compressed ??= compressions[encoding](original ?? Buffer.alloc(0));
    original = undefined;
    return compressed;
  };
}

function isStream(body: unknown): boolean {
  return typeof (body as { pipe?: unknown } | null | undefined)?.pipe === 'function';
}
