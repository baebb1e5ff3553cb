// The client is one process that keeps its connections open and sends one request at a time on each.
import { Client } from 'undici';

/** Maximum wait for the last responses. */
const responseTimeoutMs = 60_000;

/**
 * Keeps every connection busy for a number of seconds.
 *
 * @returns latencies in milliseconds, bytes of bodies, and seconds from the first request to the last response
 * @throws Error if a response has an unexpected status
 */
export async function drive({ url, connections, seconds, nextRequest, expected }) {
  const startedAt = performance.now();
  const until = startedAt + seconds * 1_000;
  const run = { latencies: [], bytes: 0 };
  const timeouts = { headersTimeout: responseTimeoutMs, bodyTimeout: responseTimeoutMs };
  const clients = Array.from({ length: connections }, () => new Client(url, timeouts));
  const keepBusy = async (client) => {
    for (let now = performance.now(); now < until;) {
      const { status, bytes } = await exchange(client, nextRequest());
      const receivedAt = performance.now();
      run.latencies.push(receivedAt - now);
      run.bytes += bytes;
      if (!expected.includes(status)) throw new Error(`A response has the status ${status}.`);
      now = receivedAt;
    }
  };
  try {
    await Promise.all(clients.map(keepBusy));
  } finally {
    for (const client of clients) await client.destroy();
  }
  return { ...run, seconds: (performance.now() - startedAt) / 1_000 };
}

/** Returns the status of a response and the number of bytes in its body. */
export function exchange(client, request) {
  return new Promise((resolve, reject) => {
    const response = { status: 0, bytes: 0 };
    client.dispatch(request, {
      onRequestStart: () => undefined,
      onResponseStart: (_controller, status) => (response.status = status),
      onResponseData: (_controller, chunk) => (response.bytes += chunk.length),
      onResponseEnd: () => resolve(response),
      onResponseError: (_controller, error) => reject(new Error('No response', { cause: error })),
    });
  });
}
