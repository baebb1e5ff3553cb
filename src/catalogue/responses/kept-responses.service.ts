import { Inject, Injectable } from '@nestjs/common';
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  onSendHookHandler,
  RouteOptions as Route,
} from 'fastify';
import { Counter } from 'prom-client';
import type { RequestCaller } from '../../core/http/request-caller.js';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import { withinDeadline } from '../../core/database/connection/deadline.js';
import { remainingDeadline } from '../../core/http/server/request-context.js';
import type { RouteOptions } from '../../core/http/server/route-options.js';
import { Metrics } from '../../core/observability/metrics.js';
import { CatalogueFreshness } from './catalogue-freshness.js';
import {
  bytesOf,
  inOnePiece,
  isStream,
  type KeptResponse,
  keptResponse,
  sendKept,
} from './kept-response.js';
import { type Reading, whileReading, withoutKeptParts } from './kept-parts.js';
import { ResponseStore } from './response-store.js';

/** Of an address, of a list of encodings, and of a list of tags. */
const maxKeyPart = 2_048;

/** Parameters whose values are never sent twice: each goes on where a client's last request ended. */
const uniqueParameters = ['after', 'updatedSince'];

/** A response that is being made, for whoever asks for the same meanwhile. */
interface Making {
  readonly key: string;
  readonly organizationId: string;
  readonly reading: Reading;
  readonly made: Promise<KeptResponse | null>;
  /** Null when there is nothing to share, once and for all. */
  readonly finish: (response: KeptResponse | null) => void;
}

/**
 * Repeats finished responses about compounds and units for a second from when they began to be read, and none
 * from before a write of this process (rule DATA-6). What differs between callers, such as language and permissions, is part of
 * the key; the API key has been judged before.
 */
@Injectable()
export class KeptResponsesService {
  private readonly store: ResponseStore | undefined;
  private readonly inProgress = new Map<string, Making>();
  private readonly makings = new WeakMap<FastifyRequest, Making>();
  private readonly hits;
  private readonly misses;

  constructor(
    private readonly freshness: CatalogueFreshness,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    metrics: Metrics,
  ) {
    const { RESPONSE_CACHE_BYTES: maxBytes } = environment;
    const counter = (name: string, help: string) =>
      new Counter(metrics.options(`response_cache_${name}_total`, help));
    this.hits = counter('hits', 'Responses that were repeated.');
    this.misses = counter('misses', 'Responses that had to be made.');
    const evictions = counter('evictions', 'Responses that were dropped for room.');
    if (maxBytes > 0) this.store = new ResponseStore(maxBytes, () => evictions.inc());
    const { store } = this;
    metrics.collect('response_cache_entries', 'Responses that are kept.', () => store?.size ?? 0);
    metrics.collect(
      'response_cache_bytes',
      'How much is kept, of RESPONSE_CACHE_BYTES.',
      () => store?.bytes ?? 0,
    );
  }

  /** Serves the routes that are added from now on, behind everything that judges a request. */
  addTo(fastify: FastifyInstance): void {
    const { store } = this;
    if (store === undefined) return;
    fastify.addHook('onRoute', (route) => {
      const { isKept = false, changesNoKeptResponse = false } = (route.config ??
        {}) as RouteOptions;
      const isRead = route.method === 'GET' || route.method === 'HEAD';
      if (isKept && route.method === 'GET') {
        append(route, 'onRequest', this.respond(store));
        append(route, 'onSend', this.keep(store));
      } else if (!isRead && !changesNoKeptResponse) {
        append(route, 'onSend', this.noteWrite());
      }
    });
  }

  /** Responds with what is kept or is being made, or remembers that it is made now. */
  private respond(store: ResponseStore): onRequestHookHandler {
    return (request, reply, done) => {
      if (wantsAnew(request)) return withoutKeptParts(done);
      const { caller } = request;
      const key = caller && keyOf(request, caller);
      if (caller === undefined || key === undefined) return done();
      const organizationId = caller.organizationId.toHexString();
      const isFresh = ({ readAt }: Reading) => this.freshness.isFresh(organizationId, readAt);
      const kept = store.get(key);
      if (kept !== undefined && isFresh(kept) && sendKept(kept, request, reply)) {
        this.hits.inc();
        return;
      }
      store.noteRequest(key);
      // What the one gets who has nothing may be of no use to the one who has a tag, and the other way round.
      const shared = `${key}\n${request.headers['if-none-match'] ?? ''}`;
      const making = this.inProgress.get(shared);
      if (making !== undefined && isFresh(making.reading)) {
        void this.waitFor(making, request, reply, done);
        return;
      }
      this.misses.inc();
      // For a client that has left already, nobody would say that nothing comes of it.
      if (reply.raw.destroyed) return done();
      const reading = { readAt: performance.now() };
      this.begin(request, reply, shared, { key, organizationId, reading });
      whileReading(reading, done);
    };
  }

  /**
   * Sends what another request makes, if it comes of it, and as long as this one may wait for the
   * database; else it goes on and makes its own.
   */
  private async waitFor(
    { made }: Making,
    request: FastifyRequest,
    reply: FastifyReply,
    done: (error?: Error) => void,
  ): Promise<void> {
    try {
      const deadline = remainingDeadline(request, this.environment.DATABASE_DEADLINE_MS);
      const response = await withinDeadline(made, deadline);
      if (response !== null && sendKept(response, request, reply)) {
        this.hits.inc();
        return;
      }
      this.misses.inc();
      done();
    } catch (error) {
      done(error as Error);
    }
  }

  private begin(
    request: FastifyRequest,
    reply: FastifyReply,
    shared: string,
    subject: Pick<Making, 'key' | 'organizationId' | 'reading'>,
  ): void {
    const { promise: made, resolve } = Promise.withResolvers<KeptResponse | null>();
    const finish = (response: KeptResponse | null) => {
      if (this.inProgress.get(shared) === making) this.inProgress.delete(shared);
      resolve(response);
    };
    const making: Making = { ...subject, made, finish };
    this.inProgress.set(shared, making);
    this.makings.set(request, making);
    // Also when it fails, or its client leaves: the others then make their own.
    reply.raw.once('close', () => finish(null));
  }

  /** Keeps what is sent as a whole, as it is sent; the last of all that happens to it. */
  private keep(store: ResponseStore): onSendHookHandler {
    return (request, reply, payload, done) => {
      const making = this.makings.get(request);
      const isRepeated = making !== undefined && store.isRepeated(making.key);
      if (!reply.hasHeader('etag') || !(isRepeated || isStream(payload))) {
        making?.finish(null);
        return done(null, payload);
      }
      const finish = (body: Buffer | null) => {
        if (making === undefined) return;
        const response = keptResponse(reply, body, making.reading.readAt);
        if (this.isWorthKeeping(store, response, making)) store.set(making.key, response);
        making.finish(response);
      };
      if (isStream(payload)) {
        void inOnePiece(payload, finish, done);
        return;
      }
      const body = bytesOf(payload as string | Buffer | null);
      finish(body);
      done(null, body);
    };
  }

  /** Not when something was written meanwhile, and not a tag instead of the response that has it. */
  private isWorthKeeping(
    store: ResponseStore,
    { body }: KeptResponse,
    { key, organizationId, reading }: Making,
  ): boolean {
    if (!store.isRepeated(key)) return false;
    const isFresh = ({ readAt }: Reading) => this.freshness.isFresh(organizationId, readAt);
    const kept = store.get(key);
    return isFresh(reading) && (body !== null || kept === undefined || !isFresh(kept));
  }

  /**
   * Whatever a request has written is in the next response to its organization. One that is refused has
   * written nothing; of one that failed nobody knows.
   */
  private noteWrite(): onSendHookHandler {
    return ({ caller }, { statusCode }, payload, done) => {
      const isRefused = statusCode >= 400 && statusCode < 500;
      if (caller !== undefined && !isRefused)
        this.freshness.noteWrite(caller.organizationId.toHexString());
      done(null, payload);
    };
  }
}

function append(
  route: Route,
  hook: 'onRequest' | 'onSend',
  handler: onRequestHookHandler | onSendHookHandler,
): void {
  Object.assign(route, { [hook]: [...[route[hook] ?? []].flat(), handler] });
}

/** Whether a client asks for what is in the database now. */
function wantsAnew({ headers }: FastifyRequest): boolean {
  return /no-(?:cache|store)/i.test(headers['cache-control'] ?? '');
}

/**
 * Everything that decides about the response to a request but the time; undefined where it is not to
 * be shared: what nobody asks for again.
 */
function keyOf({ headers, query, raw, language }: FastifyRequest, caller: RequestCaller) {
  const { url = '' } = raw;
  const { 'accept-encoding': encodings = null, 'if-none-match': tags = '' } = headers;
  if (headers['x-no-compression'] !== undefined) return undefined;
  if ([url, encodings ?? '', tags].some((part) => part.length > maxKeyPart)) return undefined;
  if (uniqueParameters.some((name) => Object.hasOwn(query as object, name))) return undefined;
  const { organizationId, permissions } = caller;
  return JSON.stringify([organizationId.toHexString(), permissions, language, encodings, url]);
}
