import { Inject, Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import {
  type CollectionAcrossTenants,
  InjectAcrossTenants,
} from '../../core/database/documents/across-tenants.js';
import { bufferedBatches } from '../../core/database/documents/cursors.js';
import { textOf } from '../../core/database/documents/stored-values.js';
import { encryptionKeys } from '../../core/secrets/encryption-keys.js';
import { keyIdOf, open, seal, sealingKeyOf } from '../../core/secrets/secret-box.js';
import { type SealedSecret, signingSecrets } from '../../core/secrets/signing-secret.js';
import type { WebhookEndpointDocument } from './webhook-endpoint.schema.js';
import type { TenantDocument } from '../../core/database/documents/tenant-document.js';

/** A key of which secrets that sign are sealed, by its id: the key itself is never shown. */
export interface NeededKey {
  readonly key: string;
  /** How many secrets need it. */
  readonly secrets: number;
  /** Whether it is the first of ENCRYPTION_KEYS, another one of them, or none. */
  readonly state: 'newest' | 'listed' | 'missing';
}

/** A secret that could not be opened, by its endpoint or its signed API key. */
export interface UnopenedSecret {
  readonly endpointId?: string;
  readonly apiKeyId?: string;
  readonly organizationId: string;
  /** The id of the key that sealed it. */
  readonly key: string;
  readonly reason: string;
}

/** The result of resealing. */
export interface Resealed {
  readonly resealed: number;
  readonly unopened: readonly UnopenedSecret[];
  /** The keys that are needed now. */
  readonly keys: readonly NeededKey[];
}

/** An endpoint or a signed API key. */
interface SecretHolder extends TenantDocument {
  readonly secrets?: readonly SealedSecret[] | null;
}

/** A secret that signs, and whose it is. */
interface SigningSecret {
  readonly _id: Types.ObjectId;
  readonly organizationId: Types.ObjectId;
  readonly sealed: string;
}

/** How many are read at a time where all are. */
const batchSize = 100;

/** The encryption keys, and the secrets of endpoints and signed API keys that they seal (rules HOOK-12 and HOOK-26). */
@Injectable()
export class SecretKeys {
  private readonly keys: readonly Buffer[];

  constructor(
    @Inject(ENVIRONMENT) environment: Environment,
    @InjectAcrossTenants('WebhookEndpoint')
    private readonly endpoints: CollectionAcrossTenants<SecretHolder>,
    @InjectAcrossTenants('ApiKey') private readonly apiKeys: CollectionAcrossTenants<SecretHolder>,
    private readonly clock: Clock,
  ) {
    this.keys = encryptionKeys(environment);
  }

  seal(endpointId: Types.ObjectId, secret: string, createdAt: Date): SealedSecret {
    const sealed = seal(secret, this.keys, endpointId.toHexString());
    return { sealed, createdAt, expiresAt: null };
  }

  /**
   * The secrets that sign at a time, newest first.
   *
   * @throws Error when there is none, or the key that sealed one is missing
   */
  signing(endpoint: WebhookEndpointDocument, now: Date): string[] {
    const secrets = signingSecrets(endpoint.secrets, now);
    if (secrets.length === 0) throw new Error('The endpoint has no secret: rotate it.');
    return secrets.map(({ sealed }) => open(sealed, this.keys, endpoint._id.toHexString()));
  }

  /** The keys of all secrets that sign, those that ENCRYPTION_KEYS lacks first. */
  async needed(): Promise<NeededKey[]> {
    const counts = new Map<string, number>();
    for (const holders of [this.endpoints, this.apiKeys]) {
      for await (const secrets of this.batches(holders)) {
        for (const { sealed } of secrets) {
          const key = sealingKeyOf(sealed);
          counts.set(key, (counts.get(key) ?? 0) + 1);
        }
      }
    }
    const known = this.keys.map(keyIdOf);
    const rank = (key: string) => known.indexOf(key);
    return [...counts]
      .toSorted(([a], [b]) => rank(a) - rank(b))
      .map(([key, secrets]) => ({ key, secrets, state: stateOf(rank(key)) }));
  }

  /**
   * Seals every secret that signs with the newest key. A secret that has it already stays as it is, so that a
   * repetition continues where an earlier run ended; one that is replaced meanwhile is left alone.
   *
   * @param progress takes how many are done, of how many
   */
  async reseal(progress: (done: number, total: number) => void): Promise<Resealed> {
    const [newest] = this.keys.map(keyIdOf);
    const old = (await this.needed()).filter(({ state }) => state !== 'newest');
    const total = old.reduce((sum, { secrets }) => sum + secrets, 0);
    const unopened: UnopenedSecret[] = [];
    let [done, resealed] = [0, 0];
    for (const holders of [this.endpoints, this.apiKeys]) {
      for await (const batch of this.batches(holders)) {
        const secrets = batch.filter(({ sealed }) => sealingKeyOf(sealed) !== newest);
        if (secrets.length === 0) continue;
        const writes = secrets.flatMap((secret) => {
          try {
            return this.resealing(secret);
          } catch (error) {
            const id = holders === this.apiKeys ? 'apiKeyId' : 'endpointId';
            unopened.push({
              [id]: secret._id.toHexString(),
              ...unopenedSecret(secret, error as Error),
            });
            return [];
          }
        });
        if (writes.length > 0) {
          const options = { ordered: false } as const;
          const { modifiedCount } = await holders.acrossTenants.bulkWrite(writes, options);
          resealed += modifiedCount;
        }
        done += secrets.length;
        progress(done, Math.max(done, total));
      }
    }
    return { resealed, unopened, keys: await this.needed() };
  }

  /** Replaces a sealed secret where it still is the same. */
  private resealing({ _id, sealed }: SigningSecret) {
    const owner = _id.toHexString();
    const resealed = seal(open(sealed, this.keys, owner), this.keys, owner);
    const update = { $set: { 'secrets.$.sealed': resealed } };
    return { updateOne: { filter: { _id, 'secrets.sealed': sealed }, update } };
  }

  /** The secrets that sign, of all endpoints or of all API keys. */
  private async *batches(
    holders: CollectionAcrossTenants<SecretHolder>,
  ): AsyncGenerator<SigningSecret[]> {
    const cursor = holders.acrossTenants
      .find<SecretHolder>(
        { 'secrets.0': { $exists: true } },
        { projection: { organizationId: 1, secrets: 1 } },
      )
      .sort({ _id: 1 })
      .batchSize(batchSize);
    for await (const found of bufferedBatches(cursor)) {
      const now = this.clock.now();
      yield found.flatMap(({ _id, organizationId, secrets }) =>
        // Other programs may have written what is no text.
        signingSecrets(secrets, now).map(({ sealed }) => ({
          _id,
          organizationId,
          sealed: textOf(sealed),
        })),
      );
    }
  }
}

function stateOf(rank: number): NeededKey['state'] {
  if (rank === 0) return 'newest';
  return rank > 0 ? 'listed' : 'missing';
}

function unopenedSecret({ organizationId, sealed }: SigningSecret, { message: reason }: Error) {
  return { organizationId: organizationId.toHexString(), key: sealingKeyOf(sealed), reason };
}
