import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../core/configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import type { WebhookMessage } from '../../events/outbox/message.js';
import { type AttemptResult, retryAfterMs } from '../deliveries/attempt-outcome.js';
import { signedHeaders } from '../../core/secrets/signing-secret.js';
import { urlViolation } from './ssrf-policy.js';
import { NameResolver, ssrfSafeLookup } from './ssrf-safe-lookup.js';

const maxResponseBytes = 4_096;
const maxRedirectLength = 2_048;
const maxMediaTypeLength = 100;
/** Maximum time for the body after the status (rule HOOK-6). */
const bodyMs = 1_000;
/** Short, because a server may close an idle connection just when it is reused, which costs a second request. */
const keepAliveMs = 1_000;
const maxHeaderSize = 65_536;
/** An attempt has time for this many addresses of a name. */
const maxAddressAttempts = 3;
const userAgent = 'IntegrationAPI-Webhooks/1.0';
const closedCodes: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'EPIPE']);

export interface WebhookTarget {
  readonly url: string;
  readonly secrets: readonly string[];
}

@Injectable()
export class WebhookSender {
  /** Agents do not let idle connections keep the process running. */
  private readonly agents = {
    'http:': new http.Agent({ keepAlive: true, timeout: keepAliveMs }),
    'https:': new https.Agent({ keepAlive: true, timeout: keepAliveMs }),
  };
  readonly names = new NameResolver();
  private readonly timeout: number;
  private readonly connection: RequestOptions;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly clock: Clock,
  ) {
    this.timeout = environment.WEBHOOKS_TIMEOUT_MS;
    this.connection = {
      lookup: ssrfSafeLookup(environment, this.names),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: Math.floor(this.timeout / maxAddressAttempts),
    } as RequestOptions;
  }

  /** Repeats the request if the receiver had closed a reused connection. Never rejects. */
  async send(
    target: WebhookTarget,
    message: WebhookMessage,
    abortSignal?: AbortSignal,
  ): Promise<AttemptResult> {
    const startedAt = this.clock.now();
    const start = performance.now();
    const timeout = AbortSignal.timeout(this.timeout);
    const signal = abortSignal ? AbortSignal.any([timeout, abortSignal]) : timeout;
    const result = await this.exchange(target, message, { startedAt, signal }).catch(
      (error: unknown) => ({
        ...noResponse,
        error: timeout.aborted ? `No response within ${this.timeout} ms` : errorMessageOf(error),
      }),
    );
    return { ...result, startedAt, milliseconds: Math.round(performance.now() - start) };
  }

  private async exchange(
    { url, secrets }: WebhookTarget,
    message: WebhookMessage,
    { startedAt, signal }: { readonly startedAt: Date; readonly signal: AbortSignal },
  ): Promise<ExchangeResult> {
    const reason = urlViolation(url, this.environment);
    if (reason !== null) throw new Error(reason);
    const headers = {
      'content-type': 'application/json',
      'user-agent': userAgent,
      ...signedHeaders(message, secrets, startedAt),
    };
    const options = { ...this.connection, method: 'POST', headers, maxHeaderSize, signal };
    const target = new URL(url);
    const agent = this.agents[target.protocol as 'http:' | 'https:'];
    const response = await post(target, { ...options, agent }, message.body);
    return {
      statusCode: response.statusCode ?? null,
      ...(await readPrefix(response)),
      contentType: mediaTypeOf(response.headers['content-type']),
      redirectsTo: redirectTarget(response, url),
      retryAfter: retryAfterMs(response.headers['retry-after'], this.clock.now()),
    };
  }
}

type ExchangeResult = Omit<AttemptResult, 'startedAt' | 'milliseconds'>;

const noResponse = {
  statusCode: null,
  response: null,
  contentType: null,
  redirectsTo: null,
  retryAfter: null,
};

/** Skips interim responses and follows no redirects. */
function post(url: URL, options: RequestOptions, body: string): Promise<IncomingMessage> {
  const { request } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const sent = request(url, options);
    sent.once('response', resolve);
    sent.once('close', () => reject(new Error('The connection was closed without a response')));
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // The receiver has probably closed the idle connection. A request without an agent reuses none.
      const wasIdle = sent.reusedSocket && closedCodes.has(error.code);
      if (wasIdle) resolve(post(url, { ...options, agent: false }, body));
      else reject(error);
    });
    sent.end(body);
  });
}

/** Returns an absolute address; null for any other response. */
function redirectTarget(
  { statusCode = 0, headers: { location } }: IncomingMessage,
  url: string,
): string | null {
  const isRedirect = statusCode >= 300 && statusCode < 400 && location !== undefined;
  if (!isRedirect || !URL.canParse(location, url)) return null;
  return new URL(location, url).href.slice(0, maxRedirectLength);
}

/** Returns null if there is none. */
function mediaTypeOf(header = ''): string | null {
  const [mediaType = ''] = header.split(';');
  return mediaType.trim().toLowerCase().slice(0, maxMediaTypeLength) || null;
}

/** Reads only as much as is stored; the status counts even if the body breaks off. */
async function readPrefix(
  body: IncomingMessage,
): Promise<Pick<ExchangeResult, 'response' | 'error'>> {
  const chunks: Buffer[] = [];
  let size = 0;
  let error: string | null = null;
  const late = new Error(`it took longer than ${bodyMs} ms`);
  const timer = setTimeout(() => body.destroy(late), bodyMs);
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= maxResponseBytes) break;
    }
  } catch (cause) {
    error = `Could not read the response body: ${errorMessageOf(cause)}`;
  }
  clearTimeout(timer);
  return { response: Buffer.concat(chunks).subarray(0, maxResponseBytes).toString('utf8'), error };
}

/** Joins the failures of all addresses of a name in one line. */
function errorMessageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(errorMessageOf).join('; ');
  const { message, code } = error as { message?: string; code?: string };
  return message === undefined || message === '' ? (code ?? 'unknown error') : message;
}
