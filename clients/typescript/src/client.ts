import { randomUUID } from 'node:crypto';
import { IntegrationApiError } from './errors.js';
import { operations, type Operations } from './generated/operations.js';
import type { CallOptions } from './operation.js';
import {
  defaultPolicy,
  type RawAnswer,
  realSurroundings,
  type RetryPolicy,
  type Surroundings,
  withRetries,
} from './retries.js';

/** Whom the client talks to, and how. */
export interface IntegrationApiOptions {
  /** Address of the API without path, `https://api.example.com` for example. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Of content and messages, where a call does not say: English unless it is set. */
  readonly language?: 'en-us' | 'ar-eg' | undefined;
  /** What is not set is as in `defaultPolicy`. */
  readonly retries?: Partial<RetryPolicy>;
  /** In place of the global one. */
  readonly fetch?: typeof fetch;
  /** For tests. */
  readonly surroundings?: Partial<Surroundings>;
}

/** What an operation takes, as far as sending it is concerned. */
interface SentRequest {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
}

/**
 * A client: a method for each operation of the reference. Each sends again what failed for a time,
 * waits as `Retry-After` says, and gives a POST an `Idempotency-Key` that all of its tries have in
 * common, so that it is done once.
 *
 * A method throws IntegrationApiError for every answer that is an error, NoAnswerError when none
 * came, and the reason of its signal when that was aborted. A DELETE whose first answer was lost
 * may end with a 404.
 */
export function createIntegrationApi(options: IntegrationApiOptions): Operations {
  return Object.fromEntries(
    Object.entries(operations).map(([name, [method, path]]) => [
      name,
      (request: SentRequest = {}, callOptions: CallOptions = {}) =>
        call(options, { method, path }, request, callOptions),
    ]),
  ) as unknown as Operations;
}

async function call(
  client: IntegrationApiOptions,
  { method, path }: { readonly method: string; readonly path: string },
  request: SentRequest,
  { signal, totalTimeoutMs }: CallOptions,
): Promise<{ status: number; headers: Headers; data: unknown }> {
  const url = addressOf(client.baseUrl, path, request);
  const init = {
    method,
    headers: headersOf(client, method, request),
    // The key is for this address alone.
    redirect: 'manual' as const,
    ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
  };
  const askedWaitMs = waitMs(request);
  const policy = { ...defaultPolicy, ...client.retries };
  const send = client.fetch ?? fetch;
  const answer = await withRetries(
    async (trySignal) => {
      const response = await send(url, { ...init, signal: trySignal });
      const { status, headers } = response;
      return { status, headers, text: await response.text() };
    },
    {
      ...policy,
      tryTimeoutMs: policy.tryTimeoutMs + askedWaitMs,
      totalTimeoutMs: policy.totalTimeoutMs + askedWaitMs,
      ...(totalTimeoutMs === undefined ? {} : { totalTimeoutMs }),
    },
    { ...realSurroundings, ...client.surroundings },
    signal,
  );
  const { status, headers, text } = answer;
  if (status !== 304 && (status < 200 || status > 299)) {
    throw new IntegrationApiError(status, headers, text);
  }
  return { status, headers, data: dataOf(answer) };
}

function addressOf(baseUrl: string, path: string, { path: names = {}, query = {} }: SentRequest) {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => segment(name, names[name]));
  const url = new URL(filled, baseUrl);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url;
}

/** @throws TypeError for what no address can have as a segment: it would be that of another operation */
function segment(name: string, value: string | undefined): string {
  if (value === undefined || /^\.{0,2}$/.test(value)) {
    throw new TypeError(`${name} cannot be part of an address: ${JSON.stringify(value)}`);
  }
  return encodeURIComponent(value);
}

/** How long a request lets the server wait for something to answer with. */
function waitMs({ query: { wait, timeout } = {} }: SentRequest): number {
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

function dataOf({ headers, text }: RawAnswer): unknown {
  if (text === '') return undefined;
  const isJson = /^application\/json\b/.test(headers.get('content-type') ?? '');
  return isJson ? (JSON.parse(text) as unknown) : text;
}
