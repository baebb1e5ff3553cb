import { Pool } from 'undici';
import { basePath } from '../support/shared-service.js';

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** A request that is sent as written, without normalization or encoding. */
export interface SentRequest {
  readonly method: string;
  /** The path below the base path, with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

const maxRetries = 5;

/** Sends requests to a service over a few connections, on which further requests wait. */
export function createSender(url: string) {
  const pool = new Pool(url, { connections: 16 });
  const sendOnce = async ({ path, body = '', ...sent }: SentRequest): Promise<ReceivedResponse> => {
    const response = await pool.request({ ...sent, path: `/${basePath}${path}`, body });
    const { statusCode: status, headers } = response;
    return { status, headers, text: await response.body.text() };
  };
  return {
    /** Retries a 503, because many concurrent requests conflict with each other. */
    send: async (sent: SentRequest): Promise<ReceivedResponse> => {
      let response = await sendOnce(sent);
      for (let retries = 0; retries < maxRetries && response.status === 503; retries++) {
        response = await sendOnce(sent);
      }
      return response;
    },
    close: () => pool.destroy(),
  };
}
