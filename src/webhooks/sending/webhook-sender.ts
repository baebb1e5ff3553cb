import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../../core/configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import type { Message } from '../../events/outbox/message.js';
import { type AttemptResult, retryAfterMs } from '../deliveries/delivery-outcome.js';
import { type AddressPolicy, addressPolicy, urlViolation } from './addresses.js';
import { signedHeaders } from './signing.js';
import { ForbiddenAddressError, NameResolver, ssrfSafeLookup } from './ssrf-safe-lookup.js';

/** How much of a response is read and stored. */
const maxResponseBytes = 4_096;
/** How long the body may take after the status, which decides alone (rule HOOK-6). */
const bodyMs = 1_000;
/** Servers close idle connections; reusing one just then costs a second request. */
const keepAliveMs = 1_000;
/** How many bytes of headers a response may have. */
const maxHeaderSize = 65_536;
/** How many addresses of a name can be tried one after another in the time of an attempt. */
const addressesInTime = 3;
const userAgent = 'IntegrationAPI-Webhooks/1.0';
/** Codes of a connection that the other side has closed. */
const closedCodes: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'EPIPE']);

/** Where a message is sent, and the secrets that sign it. */
export interface Target {
  readonly url: string;
  readonly secrets: readonly string[];
}

/** Sends single requests, bounded in time and size, to allowed addresses only. */
@Injectable()
export class WebhookSender implements OnApplicationShutdown {
  private readonly agents = {
    'http:': new http.Agent({ keepAlive: true, timeout: keepAliveMs }),
    'https:': new https.Agent({ keepAlive: true, timeout: keepAliveMs }),
  };
  private readonly policy: AddressPolicy;
  private readonly timeout: number;
  private readonly connection: RequestOptions;

  constructor(
    @Inject(ENVIRONMENT) environment: Environment,
    names: NameResolver,
    private readonly clock: Clock,
  ) {
    this.policy = addressPolicy(environment);
    this.timeout = environment.WEBHOOKS_TIMEOUT_MS;
    this.connection = {
      lookup: ssrfSafeLookup(this.policy, names),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: Math.floor(this.timeout / addressesInTime),
    } as RequestOptions;
  }

  onApplicationShutdown(): void {
    for (const agent of Object.values(this.agents)) agent.destroy();
  }

  /**
   * Posts a signed message once, or again on a fresh connection when the receiver had closed the
   * reused one. Every outcome is a result, within WEBHOOKS_TIMEOUT_MS.
   *
   * @param abortSignal ends the attempt early
   */
  async send(target: Target, message: Message, abortSignal?: AbortSignal): Promise<AttemptResult> {
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
    { url, secrets }: Target,
    message: Message,
    { startedAt, signal }: { readonly startedAt: Date; readonly signal: AbortSignal },
  ): Promise<ExchangeResult> {
    const reason = urlViolation(url, this.policy);
    if (reason !== null) throw new ForbiddenAddressError(reason);
    const headers = {
      'content-type': 'application/json',
      'user-agent': userAgent,
      ...signedHeaders(message, secrets, startedAt),
    };
    const options = { ...this.connection, method: 'POST', headers, maxHeaderSize, signal };
    const target = new URL(url);
    const agent = this.agents[target.protocol as 'http:' | 'https:'];
    const response = await post(target, { ...options, agent }, message.body).catch(
      (error: unknown) => {
        if (error instanceof ClosedConnectionError) {
          return post(target, { ...options, agent: false }, message.body);
        }
        throw error;
      },
    );
    return {
      statusCode: response.statusCode ?? null,
      ...(await readPrefix(response)),
      retryAfter: retryAfterMs(response.headers['retry-after'], this.clock.now()),
    };
  }
}

type ExchangeResult = Omit<AttemptResult, 'startedAt' | 'milliseconds'>;

const noResponse = { statusCode: null, response: null, retryAfter: null };

/** The receiver has closed a connection of earlier requests, most likely as idle. */
class ClosedConnectionError extends Error {}

/** The final response to a request; redirects are not followed. */
function post(url: URL, options: RequestOptions, body: string): Promise<IncomingMessage> {
  const { request } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const sent = request(url, options);
    sent.once('response', resolve);
    sent.once('close', () => reject(new Error('The connection was closed without a response')));
    sent.on('error', (error: NodeJS.ErrnoException) => {
      const isIdle = sent.reusedSocket && closedCodes.has(error.code);
      reject(isIdle ? new ClosedConnectionError(error.message) : error);
    });
    sent.end(body);
  });
}

/** Reads no more than is stored; the status counts even if the rest never comes. */
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
    error = `The response body broke off: ${errorMessageOf(cause)}`;
  }
  clearTimeout(timer);
  return { response: Buffer.concat(chunks).subarray(0, maxResponseBytes).toString('utf8'), error };
}

/** The reason of a failure, in one line; a failure on every address of a name carries one for each. */
function errorMessageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(errorMessageOf).join('; ');
  const { message, code } = error as { message?: string; code?: string };
  return message === undefined || message === '' ? (code ?? 'unknown error') : message;
}
