import { randomUUID } from 'node:crypto';
import { IntegrationApiError } from './errors.js';
import { operations, type Operations } from './generated/operations.js';
import type { KeyDto } from './generated/types.js';
import type { CallOptions } from './operation.js';
import {
  defaultPolicy,
  type RawResponse,
  defaultRuntime,
  type RetryPolicy,
  type Runtime,
  withRetries,
} from './retries.js';

export interface IntegrationApiOptions {
  /** URL of the API without a path, such as `https://api.example.com`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Language of names and messages, unless a call sets its own. The API defaults to `en-us`. */
  readonly language?: 'en-us' | 'ar-eg' | undefined;
  /** Overrides parts of `defaultPolicy`. */
  readonly retries?: Partial<RetryPolicy>;
  /** Replaces the global `fetch`, for example to use a proxy. */
  readonly fetch?: typeof fetch;
  /** Replaces clock and randomness in tests. */
  readonly runtime?: Partial<Runtime>;
}

export interface IntegrationApi extends Operations {
  /** Returns what the key permits. Call it at the start: a wrong key or address fails at once. */
  check(options?: CallOptions): Promise<KeyDto>;
}

interface SentRequest {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
}

/**
 * Creates a client with a method for each operation of the reference. It retries temporary failures, respects
 * `Retry-After`, and sends the same `Idempotency-Key` with all attempts of a POST.
 *
 * @throws TypeError if `baseUrl` is not a URL
 *
 * A method throws IntegrationApiError for an error of the API, NoResponseError if there was no response, and the reason
 * of an aborted signal. A retried DELETE ends with a 404 if an earlier attempt deleted the lead without a response.
 */
export function createIntegrationApi(options: IntegrationApiOptions): IntegrationApi {
  const { baseUrl } = options;
  if (!URL.canParse(baseUrl)) {
    const given = JSON.stringify(baseUrl);
    throw new TypeError(`baseUrl must be a URL such as https://api.example.com, but is ${given}`);
  }
  const methods = Object.fromEntries(
    Object.entries(operations).map(([name, [method, path]]) => [
      name,
      (request: SentRequest = {}, callOptions: CallOptions = {}) =>
        call(options, { method, path }, request, callOptions),
    ]),
  ) as unknown as Operations;
  const check = async (callOptions?: CallOptions) =>
    (await methods.readKey({}, callOptions)).data.data;
  return { ...methods, check };
}

async function call(
  client: IntegrationApiOptions,
  { method, path }: { readonly method: string; readonly path: string },
  request: SentRequest,
  { signal, totalTimeoutMs }: CallOptions,
): Promise<{ status: number; headers: Headers; data: unknown }> {
  const url = urlOf(client.baseUrl, path, request);
  const init = {
    method,
    headers: headersOf(client, method, request),
    // A redirect would send the key to another server.
    redirect: 'manual' as const,
    ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
  };
  const longPollMs = longPollWaitMs(request);
  const policy = { ...defaultPolicy, ...client.retries };
  const send = client.fetch ?? fetch;
  const response = await withRetries(
    async (attemptSignal) => {
      const sent = await send(url, { ...init, signal: attemptSignal });
      return { status: sent.status, headers: sent.headers, text: await sent.text() };
    },
    {
      ...policy,
      attemptTimeoutMs: policy.attemptTimeoutMs + longPollMs,
      totalTimeoutMs: policy.totalTimeoutMs + longPollMs,
      ...(totalTimeoutMs === undefined ? {} : { totalTimeoutMs }),
    },
    { ...defaultRuntime, ...client.runtime },
    signal,
  );
  const { status, headers, text } = response;
  if (status !== 304 && (status < 200 || status > 299)) {
    throw new IntegrationApiError(status, headers, text);
  }
  return { status, headers, data: dataOf(response) };
}

function urlOf(baseUrl: string, path: string, { path: params = {}, query = {} }: SentRequest) {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => segment(name, params[name]));
  const url = new URL(filled, baseUrl);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url;
}

/** @throws TypeError for an empty value, `.` and `..`, because such a URL would address another operation */
function segment(name: string, value: string | undefined): string {
  if (value === undefined || /^\.{0,2}$/.test(value)) {
    throw new TypeError(`${name} cannot be part of a URL: ${JSON.stringify(value)}`);
  }
  return encodeURIComponent(value);
}

/** Returns the milliseconds that a long poll asks the server to wait. */
function longPollWaitMs({ query: { wait, timeout } = {} }: SentRequest): number {
  return Number(wait === undefined ? (timeout ?? 0) : Number(wait) * 1_000);
}

function headersOf(
  { apiKey, language }: IntegrationApiOptions,
  method: string,
  { headers: own = {}, body }: SentRequest,
): Headers {
  const headers = new Headers({ 'api-key': apiKey });
  if (language !== undefined) headers.set('language', language);
  if (body !== undefined) headers.set('content-type', 'application/json');
  if (method === 'POST') headers.set('idempotency-key', `"${randomUUID()}"`);
  for (const [name, value] of Object.entries(own)) {
    if (value !== undefined) headers.set(name, value);
  }
  return headers;
}

function dataOf({ headers, text }: RawResponse): unknown {
  if (text === '') return undefined;
  const isJson = /^application\/json\b/.test(headers.get('content-type') ?? '');
  return isJson ? (JSON.parse(text) as unknown) : text;
}
