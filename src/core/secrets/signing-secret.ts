import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';

const secretBytes = 32;
const prefix = 'whsec_';

@Schema({ _id: false })
export class SealedSecret {
  @Prop({ type: String })
  sealed!: string;

  @Prop({ type: Date })
  createdAt!: Date;

  /** Expiry of a replaced secret; null for the current one. */
  @Prop({ type: Date })
  expiresAt!: Date | null;
}

export const sealedSecretSchema = SchemaFactory.createForClass(SealedSecret);

/** Uses the format of Standard Webhooks. */
export function newSecret(): string {
  return `${prefix}${randomBytes(secretBytes).toString('base64')}`;
}

/** Returns valid secrets, newest first. */
export function signingSecrets(
  secrets: readonly SealedSecret[] | null | undefined,
  now: Date,
): SealedSecret[] {
  return (secrets ?? []).filter(({ expiresAt }) => !expiresAt || expiresAt > now);
}

export interface Signature {
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: string;
  /** Versioned signatures, separated by spaces. */
  readonly signatures: string;
}

/** Signs with every secret (rule HOOK-3). */
export function signedHeaders(
  { id, body }: { readonly id: string; readonly body: string },
  secrets: readonly string[],
  now: Date,
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  const signatures = secrets.map(
    (secret) => `v1,${digestOf(secret, { id, timestamp }, body).toString('base64')}`,
  );
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

export function isSignedWith(secret: string, body: Uint8Array, signature: Signature): boolean {
  const expected = digestOf(secret, signature, body);
  return signature.signatures.split(' ').some((text) => {
    const [version, value = ''] = text.split(',');
    const given = Buffer.from(value, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}

function digestOf(
  secret: string,
  { id, timestamp }: Pick<Signature, 'id' | 'timestamp'>,
  body: string | Uint8Array,
): Buffer {
  const key = Buffer.from(secret.slice(prefix.length), 'base64');
  return createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
}
