import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  onSendAsyncHookHandler,
} from 'fastify';
import { isStream } from '../http/rate-limit/unsent-response-limiter.js';
import { RequestDeadline } from '../http/server/request-deadline.js';
import type { RouteOptions } from '../http/server/route-options.js';
import { TenantCache } from './tenant-cache.js';

/** A client sends each value of these parameters only once, so a cache would not help. */
const uniqueParameters = ['after', 'updatedSince'];

const sharedHeaders = [
  'content-type',
  'content-encoding',
  'etag',
  'vary',
  'x-updated-as-of',
  'x-ignored-fields',
];

interface CachedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

/** Simultaneous equal requests wait for this response. */
type PendingResponse = PromiseWithResolvers<CachedResponse>;

const unshareable = new Error('The response cannot be shared.');

/** Replays fresh responses (rule DATA-6). The key contains what differs between callers, such as permissions. */
@Injectable()
export class ResponseCache {
  private readonly pendingResponses = new WeakMap<FastifyRequest, PendingResponse>();

  constructor(
    private readonly cache: TenantCache,
    private readonly deadline: RequestDeadline,
  ) {}

  /** Must be called after all hooks that check a request: their results are not cached. */
  addTo(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', (route) => {
      const { isCached = false } = (route.config ?? {}) as RouteOptions;
      if (route.method === 'GET') {
        if (!isCached) return;
        Object.assign(route, {
          onRequest: [route.onRequest ?? [], this.serveCached].flat(),
          onSend: [route.onSend ?? [], this.shareResponse].flat(),
        });
      } else if (route.method !== 'HEAD') {
        Object.assign(route, { onSend: [route.onSend ?? [], this.onFailedWrite].flat() });
      }
    });
  }

  private readonly serveCached: onRequestHookHandler = (request, reply, done) => {
    const key = keyOf(request);
    // The `close` event of a disconnected client has passed, so its entry would never settle.
    if (request.caller === undefined || key === undefined || reply.raw.destroyed) return done();
    let isContinued = false;
    const proceed = (error?: Error) => {
      if (!isContinued) done(error);
      isContinued = true;
    };
    const make = () => {
      const maker = Promise.withResolvers<CachedResponse>();
      if (isContinued) return Promise.reject(unshareable);
      this.pendingResponses.set(request, maker);
      // If the client disconnects, the waiting requests compute their own responses.
      reply.raw.once('close', () => maker.reject(unshareable));
      proceed();
      return maker.promise;
    };
    const send = ({ status, headers, body }: CachedResponse) => {
      if (isContinued) return;
      isContinued = true;
      void reply
        .code(status)
        .headers(headers)
        .send(body ?? undefined);
    };
    const response = this.cache.get(request.caller.organizationId, key, make, {
      kind: 'response',
      bytesOf: ({ body }) => body?.length ?? 0,
    });
    this.deadline.within(request, response).then(send, proceed);
  };

  private readonly shareResponse: onSendAsyncHookHandler = async (request, reply, payload) => {
    const maker = this.pendingResponses.get(request);
    if (maker === undefined) return payload;
    if (!reply.hasHeader('etag')) {
      maker.reject(unshareable);
      return payload;
    }
    const body = isStream(payload) ? await buffer(payload) : copyBytes(payload as string | Buffer);
    maker.resolve({ status: reply.statusCode, headers: sharedHeadersOf(reply), body });
    return body;
  };

  /** A failed write may have been stored, so it also invalidates the cache. */
  private readonly onFailedWrite: onSendAsyncHookHandler = async ({ caller }, reply, payload) => {
    if (reply.statusCode >= 500 && caller) this.cache.invalidate(caller.organizationId);
    return payload;
  };
}

function keyOf({ caller, headers, query, raw, language }: FastifyRequest): string | undefined {
  const { 'accept-encoding': encodings, 'if-none-match': tags } = headers;
  if (headers['x-no-compression'] !== undefined) return undefined;
  if (uniqueParameters.some((name) => Object.hasOwn(query as object, name))) return undefined;
  return JSON.stringify([raw.url, caller?.permissions, language, encodings, tags]);
}

function sharedHeadersOf(reply: FastifyReply): Record<string, string> {
  const present = sharedHeaders.filter((name) => reply.hasHeader(name));
  return Object.fromEntries(present.map((name) => [name, String(reply.getHeader(name))]));
}

/** Copies the bytes: a slice would keep the whole buffer in memory. */
function copyBytes(payload: string | Buffer | null): Buffer | null {
  if (payload === null) return null;
  const isText = typeof payload === 'string';
  const { buffer: bytes } = isText ? new TextEncoder().encode(payload) : new Uint8Array(payload);
  return Buffer.from(bytes);
}
