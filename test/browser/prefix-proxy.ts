import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface PrefixProxy {
  /** The address with the path prefix, without a slash at its end. */
  readonly url: string;
  /** Paths outside the prefix that were requested. */
  readonly strayed: readonly string[];
  close(): void;
}

/** Starts a proxy that serves the service below a path of its own host, as a gateway of many services does. */
export async function startPrefixProxy(target: string, prefix: string): Promise<PrefixProxy> {
  const strayed: string[] = [];
  const server = createServer((incoming, outgoing) => {
    const { method = 'GET', url: path = '/', headers } = incoming;
    if (!path.startsWith(`${prefix}/`)) {
      strayed.push(path);
      outgoing.writeHead(404).end();
      return;
    }
    const url = new URL(path.slice(prefix.length), target);
    const forwarded = request(url, { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}${prefix}`, strayed, close };
}
