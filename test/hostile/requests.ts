import { Agent, request } from 'node:http';
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

/** How many requests are under way at once. */
const width = 16;
/** How often a request is repeated. */
const maxRepeated = 5;

/** Sends requests to a service over a few connections. */
export function createSender(url: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: width });
  const { hostname, port } = new URL(url);
  const sendOnce = ({ method, path, headers, body }: SentRequest): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const sent = request(
        { agent, hostname, port, method, path: `/${basePath}${path}`, headers },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject).on('end', () => {
            const { statusCode = 0, headers: received } = response;
            resolve({
              status: statusCode,
              headers: received,
              text: Buffer.concat(chunks).toString(),
            });
          });
        },
      );
      sent.on('error', reject).end(body);
    });
  return {
    /** A 503 is repeated, as it asks for: many requests at a time meet each other. */
    send: async (sent: SentRequest): Promise<Answer> => {
      let answer = await sendOnce(sent);
      for (let again = 0; again < maxRepeated && answer.status === 503; again++) {
        answer = await sendOnce(sent);
      }
      return answer;
    },
    close: () => agent.destroy(),
  };
}

/** Runs work for all items, some at the same time, and gives the outcomes in their order. */
export async function inParallel<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const outcomes: R[] = [];
  let next = 0;
  const takeTurns = async () => {
    while (next < items.length) {
      const index = next++;
      outcomes[index] = await work(items[index] as T);
    }
  };
  await Promise.all(Array.from({ length: width }, takeTurns));
  return outcomes;
}
