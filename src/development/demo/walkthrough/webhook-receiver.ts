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
  readonly verified: readonly VerifiedWebhook[];
  /** Why the others could not be verified. */
  readonly verificationErrors: readonly string[];
  /** Sets the secret that the operator has given it. */
  trust(secret: string): void;
  stop(): Promise<void>;
}

/** Starts a receiver on loopback that verifies with the Standard Webhooks library. */
export async function startDemoReceiver(): Promise<DemoReceiver> {
  const verified: VerifiedWebhook[] = [];
  const verificationErrors: string[] = [];
  let webhook: Webhook | undefined;
  const verify = (body: string, headers: Record<string, string>) => {
    try {
      const event = webhook?.verify(body, headers);
      verified.push({ id: headers['webhook-id'] ?? '', event });
      return 204;
    } catch (error) {
      verificationErrors.push(error instanceof Error ? error.message : String(error));
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
    verified,
    verificationErrors,
    trust: (secret) => void (webhook = new Webhook(secret)),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
