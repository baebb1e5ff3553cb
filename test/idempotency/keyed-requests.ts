import { randomUUID } from 'node:crypto';
import { basePath } from '../support/shared-service.js';

/** A response of which every byte counts. */
export interface ExactResponse {
  readonly status: number;
  readonly text: string;
  readonly isReplayed: boolean;
  /** Without headers that differ between responses. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface KeyedRequest {
  readonly url: string;
  readonly path?: string;
  readonly apiKey: string;
  /** The value of `Idempotency-Key`; null sends none. */
  readonly key?: string | null;
  /** JSON of it is sent; a text is sent as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const ownHeaders = new Set(['date', 'x-request-id', 'idempotent-replayed', 'keep-alive']);

/** Sends a POST, of `/leads` unless another path is given. */
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
  const kept = [...response.headers].filter(([name]) => !ownHeaders.has(name));
  return {
    status: response.status,
    text: await response.text(),
    isReplayed: response.headers.get('idempotent-replayed') === 'true',
    headers: Object.fromEntries(kept),
  };
}

/** Sends it again while the first request with its key still runs, or the database is too slow. */
export async function settled(request: KeyedRequest): Promise<ExactResponse> {
  for (;;) {
    const response = await post(request);
    if (response.status !== 409 && response.status !== 503) return response;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
