import { Pool } from 'undici';
import { basePath } from '../support/shared-service.js';

/** A response as it came. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** A request as it is written: nothing is normalized or encoded. */
export interface SentRequest {
  readonly method: string;
  /** Below the base path, with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** How often a request is repeated. */
const maxRepeated = 5;

/** Sends requests to a service over a few connections; further ones wait. */
export function createSender(url: string) {
  const pool = new Pool(url, { connections: 16 });
  const sendOnce = async ({ path, body = '', ...sent }: SentRequest): Promise<Answer> => {
    const response = await pool.request({ ...sent, path: `/${basePath}${path}`, body });
    const { statusCode: status, headers } = response;
    return { status, headers, text: await response.body.text() };
  };
  return {
    /** A 503 is repeated, as it asks for: many requests at a time meet each other. */
    send: async (sent: SentRequest): Promise<Answer> => {
      let answer = await sendOnce(sent);
      for (let again = 0; again < maxRepeated && answer.status === 503; again++) {
        answer = await sendOnce(sent);
      }
      return answer;
    },
    close: () => pool.destroy(),
  };
}
