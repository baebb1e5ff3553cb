import { randomUUID } from 'node:crypto';
import { basePath } from '../support/shared-service.js';

export interface ExactResponse {
  readonly status: number;
  readonly text: string;
  readonly isReplayed: boolean;
  /** Does not contain the headers that differ between responses. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface KeyedRequest {
  readonly url: string;
  readonly path?: string;
  readonly apiKey: string;
  /** The value of `Idempotency-Key`; null omits the header. */
  readonly key?: string | null;
  /** A string is sent unchanged, any other value as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const varyingHeaders = new Set(['date', 'x-request-id', 'idempotent-replayed', 'keep-alive']);

export async function post(request: KeyedRequest): Promise<ExactResponse> {
  const { url, path = '/leads', apiKey, key = randomUUID(), body = {}, headers = {} } = request;
  const response = await fetch(`${url}/${basePath}${path}`, {
    method: 'POST',
    headers: {
      'api-key': apiKey,
      'content-type': 'application/json',
      ...(key === null ? {} : { 'idempotency-key': key }),
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const stableHeaders = [...response.headers].filter(([name]) => !varyingHeaders.has(name));
  return {
    status: response.status,
    text: await response.text(),
    isReplayed: response.headers.get('idempotent-replayed') === 'true',
    headers: Object.fromEntries(stableHeaders),
  };
}

/** Retries while the first request with the key is running, and while the database is too slow. */
export async function postUntilFinal(request: KeyedRequest): Promise<ExactResponse> {
  for (;;) {
    const response = await post(request);
    if (response.status !== 409 && response.status !== 503) return response;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
