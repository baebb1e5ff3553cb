import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Agent, type Dispatcher, request } from 'undici';
import { Clock } from '../../configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../configuration/environment.js';
import { type AddressPolicy, urlFault } from './addresses.js';
import type { TryResult } from '../deliveries/delivery-outcome.js';
import { guardedConnector, RefusedAddressError } from './guarded-connector.js';
import { NameResolver } from './name-resolver.js';
import { retryAfter } from '../deliveries/retry-schedule.js';
import { type Message, signedHeaders } from './signing.js';

/** How much of an answer is read and kept. */
const keptBytes = 4_096;
/** Servers close idle connections; one that is reused just then would cost a try. */
const idleMilliseconds = 1_000;
const userAgent = 'IntegrationAPI-Webhooks/1.0';

/** What may be connected to, as the environment says. */
export function addressPolicy(environment: Environment): AddressPolicy {
  return {
    allowHttp: environment.WEBHOOKS_ALLOW_HTTP,
    allowPrivateNetworks: environment.WEBHOOKS_ALLOW_PRIVATE_NETWORKS,
  };
}

/** Sends one request, within bounds of time, size and place. */
@Injectable()
export class WebhookSender implements OnApplicationShutdown {
  private readonly agent: Agent;
  private readonly policy: AddressPolicy;
  private readonly timeout: number;

  constructor(
    @Inject(ENVIRONMENT) environment: Environment,
    names: NameResolver,
    private readonly clock: Clock,
  ) {
    this.policy = addressPolicy(environment);
    this.timeout = environment.WEBHOOKS_TIMEOUT_MS;
    const resolve = (name: string) => names.addressesOf(name);
    this.agent = new Agent({
      connect: guardedConnector(this.policy, resolve, this.timeout),
      allowH2: false,
      pipelining: 1,
      keepAliveTimeout: idleMilliseconds,
      keepAliveMaxTimeout: idleMilliseconds,
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.agent.destroy();
  }

  /**
   * Posts a signed message once. Whatever comes of it is a result, within WEBHOOKS_TIMEOUT_MS.
   *
   * @param interruption ends the try before its time
   */
  async send(
    url: string,
    message: Message,
    secrets: readonly string[],
    interruption?: AbortSignal,
  ): Promise<TryResult> {
    const startedAt = this.clock.now();
    const start = performance.now();
    const timeout = AbortSignal.timeout(this.timeout);
    const signal = interruption ? AbortSignal.any([timeout, interruption]) : timeout;
    const answer = await this.exchange(url, message, { secrets, startedAt, signal }).catch(
      (error: unknown) => ({ ...noAnswer, ...faultOf(error, timeout, this.timeout) }),
    );
    return { ...answer, startedAt, milliseconds: Math.round(performance.now() - start) };
  }

  private async exchange(
    url: string,
    message: Message,
    { secrets, startedAt, signal }: Signing,
  ): Promise<Answer> {
    const fault = urlFault(url, this.policy);
    if (fault !== null) throw new RefusedAddressError(fault);
    const { statusCode, headers, body } = await request(url, {
      dispatcher: this.agent,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': userAgent,
        ...signedHeaders(message, secrets, startedAt),
      },
      body: message.body,
      signal,
    });
    const header = headers['retry-after'];
    return {
      statusCode,
      ...(await beginningOf(body)),
      retryAfter: retryAfter(typeof header === 'string' ? header : undefined, this.clock.now()),
      isRefused: false,
    };
  }
}

type Answer = Omit<TryResult, 'startedAt' | 'milliseconds'>;

interface Signing {
  readonly secrets: readonly string[];
  readonly startedAt: Date;
  readonly signal: AbortSignal;
}

const noAnswer = { statusCode: null, response: null, retryAfter: null };

/** Reads no more than is kept; the status counts even if the rest never comes. */
async function beginningOf(
  body: Dispatcher.ResponseData['body'],
): Promise<Pick<Answer, 'response' | 'error'>> {
  const chunks: Buffer[] = [];
  let size = 0;
  let error: string | null = null;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= keptBytes) break;
    }
  } catch (cause) {
    error = `The answer's body broke off: ${wordsOf(cause)}`;
  }
  body.destroy();
  return { response: Buffer.concat(chunks).subarray(0, keptBytes).toString('utf8'), error };
}

function faultOf(
  error: unknown,
  timeout: AbortSignal,
  milliseconds: number,
): Pick<Answer, 'error' | 'isRefused'> {
  if (error instanceof RefusedAddressError) return { error: error.message, isRefused: true };
  const words = timeout.aborted ? `No answer within ${milliseconds} ms` : wordsOf(error);
  return { error: words, isRefused: false };
}

/** What went wrong, in one line; a failure on every address of a name carries one for each. */
function wordsOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(wordsOf).join('; ');
  const { message, code } = error as { message?: string; code?: string };
  return message === undefined || message === '' ? (code ?? 'unknown error') : message;
}
