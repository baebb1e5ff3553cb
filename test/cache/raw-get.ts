import { Agent, get, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { basePath } from '../support/shared-service.js';

/** A response as it was sent: nothing is unpacked. */
export interface SentResponse {
  readonly status: number | undefined;
  /** Without headers that differ between requests. */
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Sends a GET and returns the raw response. */
export async function rawGet(
  url: string,
  path: string,
  headers: Record<string, string>,
): Promise<SentResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<SentResponse>();
  const request = get(`${url}/${basePath}${path}`, { agent, headers }, (response) => {
    const { date: _date, 'x-request-id': _id, ...sent } = response.headers;
    buffer(response).then(
      (body) => resolve({ status: response.statusCode, headers: sent, body }),
      reject,
    );
  });
  request.once('error', reject);
  return promise;
}
