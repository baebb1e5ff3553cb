// The client: one process, connections that stay open, one request at a time on each. It writes bytes and looks for
// the ends of responses, which leaves most of a core to what is measured.
import { once } from 'node:events';
import { connect } from 'node:net';
import { ResponseReader } from './response-reader.mjs';

/** How long the last responses may take. */
const patienceMs = 60_000;

/**
 * Keeps every connection busy for a time.
 *
 * @param url of the service
 * @param nextRequest gives the bytes of the next request
 * @param expected statuses of which any other is an error
 * @returns latencies in milliseconds, how many unexpected statuses by status, bytes of bodies, and seconds from the
 * first request to the last response
 */
export async function drive({ url, connections, seconds, nextRequest, expected }) {
  const startedAt = performance.now();
  const run = {
    nextRequest,
    expected: new Set(expected),
    until: startedAt + seconds * 1_000,
    latencies: [],
    unexpected: {},
    bytes: 0,
  };
  const { hostname, port } = new URL(url);
  const sockets = Array.from({ length: connections }, () => connect(Number(port), hostname));
  const cutOff = setTimeout(
    () => {
      for (const socket of sockets) socket.destroy(new Error('The last responses did not come.'));
    },
    seconds * 1_000 + patienceMs,
  );
  try {
    await Promise.all(sockets.map((socket) => keepBusy(socket, run)));
  } finally {
    clearTimeout(cutOff);
    for (const socket of sockets) socket.destroy();
  }
  const { latencies, unexpected, bytes } = run;
  return { latencies, unexpected, bytes, seconds: (performance.now() - startedAt) / 1_000 };
}

async function keepBusy(socket, run) {
  socket.setNoDelay(true);
  await once(socket, 'connect');
  await new Promise((resolve, reject) => {
    let sentAt = 0;
    const send = () => {
      sentAt = performance.now();
      socket.write(run.nextRequest());
    };
    const reader = new ResponseReader((status, bytes) => {
      const now = performance.now();
      run.latencies.push(now - sentAt);
      run.bytes += bytes;
      if (!run.expected.has(status)) run.unexpected[status] = (run.unexpected[status] ?? 0) + 1;
      if (now < run.until) send();
      else resolve();
    });
    socket.on('data', (chunk) => reader.feed(chunk));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('A connection was closed before its response.')));
    send();
  });
}
