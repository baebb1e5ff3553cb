import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Webhooks } from './generated/types.js';

export type WebhookEvent = Webhooks['body'];

export type VerifiedWebhook = WebhookEvent & {
  /** All attempts and replays of an event have the same id. Handle each id once. */
  readonly id: string;
};

export interface VerificationOptions {
  /** Maximum difference between the time of the request and the clock; 300 by default. */
  readonly toleranceSeconds?: number;
  /** Replaces the clock in tests. */
  readonly now?: () => number;
}

/** The request is not genuine, or its time differs too much from the clock. The message says why. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/**
 * Verifies a webhook request and returns its event with the `id` that the feed also has.
 *
 * @param body the raw body, because parsing and serializing it would break the signature
 * @param secrets secrets such as `whsec_…`: several during a rotation
 * @throws WebhookVerificationError
 */
export function verifyWebhook(
  body: string | Uint8Array,
  headers: Headers | Readonly<Record<string, string | string[] | undefined>>,
  secrets: string | readonly string[],
  { toleranceSeconds = 300, now = () => Date.now() }: VerificationOptions = {},
): VerifiedWebhook {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature');
  const isNumber = /^\d{1,12}$/.test(timestamp);
  if (!isNumber || Math.abs(now() / 1_000 - Number(timestamp)) > toleranceSeconds) {
    throw new WebhookVerificationError('webhook-timestamp differs too much from the clock');
  }
  const expected = [secrets]
    .flat()
    .map((secret) =>
      createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.`).update(body).digest(),
    );
  const sent = signatures.split(' ').map((signature) => {
    const [version, value = ''] = signature.split(',', 2);
    return Buffer.from(version === 'v1' ? value : '', 'base64');
  });
  if (!sent.some((signature) => expected.some((other) => areEqual(signature, other)))) {
    throw new WebhookVerificationError('webhook-signature matches none of the secrets');
  }
  return { ...(JSON.parse(Buffer.from(body).toString('utf8')) as WebhookEvent), id };
}

function headerOf(
  headers: Headers | Readonly<Record<string, string | string[] | undefined>>,
  name: string,
): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new WebhookVerificationError(`${name} is missing`);
}

function keyOf(secret: string): Buffer {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  // Anybody can sign with an empty key.
  if (key.length === 0) throw new TypeError('A webhook secret is empty');
  return key;
}

function areEqual(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
