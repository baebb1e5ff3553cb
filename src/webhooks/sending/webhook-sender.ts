import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Agent, type Dispatcher, request } from 'undici';
import { Clock } from '../../core/configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import type { AttemptResult } from '../deliveries/delivery-outcome.js';
import { retryAfter } from '../deliveries/retry-schedule.js';
import { EndpointSecrets } from '../endpoints/endpoint-secrets.js';
import type { WebhookEndpointDocument } from '../endpoints/webhook-endpoint.schema.js';
import { type AddressPolicy, addressPolicy, forbiddenUrlReason } from './addresses.js';
import { ForbiddenAddressError, guardedConnector } from './guarded-connector.js';
import { NameResolver } from './name-resolver.js';
import { isClosedReusedConnection } from './reused-connections.js';
import type { Message } from '../../events/outbox/message.js';
import { signedHeaders } from './signing.js';

/** How much of a response is read and stored. */
const maxResponseBytes = 4_096;
/** How long the body may take after the status, which decides alone (rule HOOK-6). */
const bodyMs = 1_000;
/** Servers close idle connections; reusing one just then costs a second request. */
const keepAliveMs = 1_000;
const userAgent = 'IntegrationAPI-Webhooks/1.0';

/** Sends single requests, bounded in time and size, to allowed addresses only. */
@Injectable()
export class WebhookSender implements OnApplicationShutdown {
  private readonly logger = new Logger(WebhookSender.name);
  private readonly agent: Agent;
  /** Opens a connection for each request. */
  private readonly freshAgent: Agent;
  private readonly policy: AddressPolicy;
  private readonly timeout: number;

  constructor(
    @Inject(ENVIRONMENT) environment: Environment,
    names: NameResolver,
    private readonly secrets: EndpointSecrets,
    private readonly clock: Clock,
  ) {
    this.policy = addressPolicy(environment);
    this.timeout = environment.WEBHOOKS_TIMEOUT_MS;
    const resolve = (name: string) => names.addressesOf(name);
    const options = {
      connect: guardedConnector(this.policy, resolve, this.timeout),
      allowH2: false,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
    };
    this.agent = new Agent({ ...options, pipelining: 1 });
    this.freshAgent = new Agent({ ...options, pipelining: 0 });
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.agent.destroy(), this.freshAgent.destroy()]);
  }

  /**
   * Posts a signed message once, or again on a fresh connection when the receiver had closed the
   * reused one. Every outcome is a result, within WEBHOOKS_TIMEOUT_MS.
   *
   * @param abortSignal ends the attempt early
   */
  async send(
    endpoint: WebhookEndpointDocument,
    message: Message,
    abortSignal?: AbortSignal,
  ): Promise<AttemptResult> {
    const startedAt = this.clock.now();
    const start = performance.now();
    const timeout = AbortSignal.timeout(this.timeout);
    const signal = abortSignal ? AbortSignal.any([timeout, abortSignal]) : timeout;
    const result = await this.exchange(endpoint, message, { startedAt, signal }).catch(
      (error: unknown) => ({
        ...noResponse,
        error: timeout.aborted ? `No response within ${this.timeout} ms` : errorMessageOf(error),
      }),
    );
    return { ...result, startedAt, milliseconds: Math.round(performance.now() - start) };
  }

  private async exchange(
    endpoint: WebhookEndpointDocument,
    message: Message,
    { startedAt, signal }: { readonly startedAt: Date; readonly signal: AbortSignal },
  ): Promise<ExchangeResult> {
    const { url } = endpoint;
    const secrets = await this.secretsOf(endpoint, startedAt);
    const reason = forbiddenUrlReason(url, this.policy);
    if (reason !== null) throw new ForbiddenAddressError(reason);
    const post = (dispatcher: Dispatcher) =>
      request(url, {
        dispatcher,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': userAgent,
          ...signedHeaders(message, secrets, startedAt),
        },
        body: message.body,
        signal,
      });
    const { statusCode, headers, body } = await post(this.agent).catch((error: unknown) => {
      if (isClosedReusedConnection(error)) return post(this.freshAgent);
      throw error;
    });
    const header = headers['retry-after'];
    return {
      statusCode,
      ...(await readPrefix(body)),
      retryAfter: retryAfter(typeof header === 'string' ? header : undefined, this.clock.now()),
    };
  }

  private async secretsOf(endpoint: WebhookEndpointDocument, now: Date): Promise<string[]> {
    try {
      return await this.secrets.signing(endpoint, now);
    } catch (error) {
      this.logger.error({ err: error }, 'A webhook could not be signed');
      throw error;
    }
  }
}

type ExchangeResult = Omit<AttemptResult, 'startedAt' | 'milliseconds'>;

const noResponse = { statusCode: null, response: null, retryAfter: null };

/** Reads no more than is stored; the status counts even if the rest never comes. */
async function readPrefix(
  body: Dispatcher.ResponseData['body'],
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
  body.destroy();
  return { response: Buffer.concat(chunks).subarray(0, maxResponseBytes).toString('utf8'), error };
}

/** What went wrong, in one line; a failure on every address of a name carries one for each. */
function errorMessageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(errorMessageOf).join('; ');
  const { message, code } = error as { message?: string; code?: string };
  return message === undefined || message === '' ? (code ?? 'unknown error') : message;
}
