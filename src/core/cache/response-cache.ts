import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  onSendAsyncHookHandler,
} from 'fastify';
import { isStream } from '../http/rate-limit/unsent-responses.js';
import { RequestDeadline } from '../http/server/request-deadline.js';
import type { RouteOptions } from '../http/server/route-options.js';
import { FreshCache } from './fresh-cache.js';

/** Parameters whose values are never sent twice: each continues where a client's last request ended. */
const uniqueParameters = ['after', 'updatedSince'];

/** Headers that say something of the body; the others belong to the request. */
const sharedHeaders = [
  'content-type',
  'content-encoding',
  'etag',
  'vary',
  'x-updated-as-of',
  'x-ignored-fields',
];

/** A 200 or a 304 as it was sent, after compression. */
interface CachedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

/** The response that a request makes for those who ask for the same meanwhile. */
type Maker = PromiseWithResolvers<CachedResponse>;

const notShared = new Error('The response cannot be shared.');

/**
 * Sends the responses about compounds and units again while they are fresh (rule DATA-6). What differs
 * between callers, such as language and permissions, is part of the key; the API key has been judged before.
 */
@Injectable()
export class ResponseCache {
  private readonly makers = new WeakMap<FastifyRequest, Maker>();

  constructor(
    private readonly cache: FreshCache,
    private readonly deadline: RequestDeadline,
  ) {}

  /** Serves the routes that are added from now on, after everything that judges a request. */
  addTo(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', (route) => {
      const { isCached = false } = (route.config ?? {}) as RouteOptions;
      if (route.method === 'GET') {
        if (!isCached) return;
        Object.assign(route, {
          onRequest: [route.onRequest ?? [], this.respond].flat(),
          onSend: [route.onSend ?? [], this.share].flat(),
        });
      } else if (route.method !== 'HEAD') {
        Object.assign(route, { onSend: [route.onSend ?? [], this.noteFailedWrite].flat() });
      }
    });
  }

  /** Sends what is cached, or what another request makes; otherwise the request makes its own. */
  private readonly respond: onRequestHookHandler = (request, reply, done) => {
    const key = keyOf(request);
    // Of a client that has left already, nothing would say that the response is not made.
    if (request.caller === undefined || key === undefined || reply.raw.destroyed) return done();
    let isContinued = false;
    const proceed = (error?: Error) => {
      if (!isContinued) done(error);
      isContinued = true;
    };
    const make = () => {
      const maker = Promise.withResolvers<CachedResponse>();
      if (isContinued) return Promise.reject(notShared);
      this.makers.set(request, maker);
      // Also when its client leaves: the others then make their own.
      reply.raw.once('close', () => maker.reject(notShared));
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

  /** Shares what is sent as a whole; the last of all that happens to it. */
  private readonly share: onSendAsyncHookHandler = async (request, reply, payload) => {
    const maker = this.makers.get(request);
    if (maker === undefined) return payload;
    if (!reply.hasHeader('etag')) {
      maker.reject(notShared);
      return payload;
    }
    const body = isStream(payload) ? await buffer(payload) : ownBytes(payload as string | Buffer);
    maker.resolve({ status: reply.statusCode, headers: sharedHeadersOf(reply), body });
    return body;
  };

  /** Of a request that failed nobody knows what it has written, or will have. */
  private readonly noteFailedWrite: onSendAsyncHookHandler = async ({ caller }, reply, payload) => {
    if (reply.statusCode >= 500 && caller) this.cache.raiseGeneration(caller.organizationId);
    return payload;
  };
}

/** All that decides about a response but the time; undefined where the response is not to be shared. */
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

/** In memory of its own: a slice would hold on to all that it was cut from. */
function ownBytes(payload: string | Buffer | null): Buffer | null {
  if (payload === null) return null;
  const isText = typeof payload === 'string';
  const { buffer: bytes } = isText ? new TextEncoder().encode(payload) : new Uint8Array(payload);
  return Buffer.from(bytes);
}
