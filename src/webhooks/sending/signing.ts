import { Webhook } from 'standardwebhooks';
import type { Message } from '../../events/outbox/message.js';

/** The headers that prove who sent a message, and when; one signature for each secret (rule HOOK-3). */
export function signedHeaders(
  { id, body }: Message,
  secrets: readonly string[],
  now: Date,
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const signatures = secrets.map((secret) => new Webhook(secret).sign(id, now, body));
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    'webhook-signature': signatures.join(' '),
  };
}
