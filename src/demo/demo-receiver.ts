import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

/** A webhook as a receiver got it, verified. */
export interface VerifiedWebhook {
  readonly id: string;
  readonly event: unknown;
}

/** A receiver of webhooks as a partner would write it. */
export interface DemoReceiver {
  readonly url: string;
  /** What has arrived and was verified. */
  readonly arrived: readonly VerifiedWebhook[];
  /** What has arrived and was not. */
  readonly refused: readonly string[];
  /** Tells it the secret that it got from the operator. */
  trust(secret: string): void;
  stop(): Promise<void>;
}

/** Starts a receiver on loopback that verifies with the Standard Webhooks library. */
export async function startDemoReceiver(): Promise<DemoReceiver> {
  const arrived: VerifiedWebhook[] = [];
  const refused: string[] = [];
  let webhook: Webhook | undefined;
  const verify = (body: string, headers: Record<string, string>) => {
    try {
      const event = webhook?.verify(body, headers);
      arrived.push({ id: headers['webhook-id'] ?? '', event });
      return 204;
    } catch (error) {
      refused.push(error instanceof Error ? error.message : String(error));
      return 401;
    }
  };
  const server = createServer((request, response) => {
    void text(request).then((body) =>
      response.writeHead(verify(body, request.headers as Record<string, string>)).end(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    arrived,
    refused,
    trust: (secret) => void (webhook = new Webhook(secret)),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
