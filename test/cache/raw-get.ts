import { Agent, type Dispatcher, request } from 'undici';
import { basePath } from '../support/shared-service.js';

export interface SentResponse {
  readonly status: number;
  /** Does not contain the headers that differ between requests. */
  readonly headers: Dispatcher.ResponseData['headers'];
  readonly body: Buffer;
}

const dispatcher = new Agent({ connections: 64 });

/** Sends a GET and returns the response without decompressing it. */
export async function rawGet(
  url: string,
  path: string,
  headers: Record<string, string>,
): Promise<SentResponse> {
  const response = await request(`${url}/${basePath}${path}`, { dispatcher, headers });
  const { date: _date, 'x-request-id': _id, ...sent } = response.headers;
  const body = Buffer.from(await response.body.arrayBuffer());
  return { status: response.statusCode, headers: sent, body };
}
