import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../core/configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import { textOf } from '../../core/database/documents/stored-values.js';
import { signingSecrets } from './endpoint-secrets.js';
import { encryptionKeys } from '../../core/secrets/encryption-keys.js';
import { keyIdOf, open, seal, sealingKeyOf } from '../../core/secrets/secret-box.js';
import {
  type EndpointSecretsOnly,
  type SealedReplacement,
  WebhookEndpointsRepository,
} from './webhook-endpoints.repository.js';

/** A key of which secrets that sign are sealed, by its id: the key itself is never shown. */
export interface NeededKey {
  readonly key: string;
  /** How many secrets need it. */
  readonly secrets: number;
  /** Whether it is the first of ENCRYPTION_KEYS, another one of them, or none. */
  readonly state: 'newest' | 'listed' | 'missing';
}

/** A secret that could not be opened, by its endpoint. */
export interface UnopenedSecret {
  readonly endpointId: string;
  readonly organizationId: string;
  /** The id of the key that sealed it. */
  readonly key: string;
  readonly reason: string;
}

/** What resealing has done, and what it could not. */
export interface Resealed {
  readonly resealed: number;
  readonly unopened: readonly UnopenedSecret[];
  /** The keys that are needed now. */
  readonly keys: readonly NeededKey[];
}

/** A secret that signs and that is not sealed with the newest key. */
interface OldSecret {
  readonly endpoint: EndpointSecretsOnly;
  readonly sealed: string;
}

/** Which of the encryption keys secrets need, and their move to the newest one (rule HOOK-26). */
@Injectable()
export class SecretKeys {
  private readonly keys: readonly Buffer[];

  constructor(
    @Inject(ENVIRONMENT) environment: Environment,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly clock: Clock,
  ) {
    this.keys = encryptionKeys(environment);
  }

  /** The keys of all secrets that sign, those that ENCRYPTION_KEYS lacks first. */
  async needed(): Promise<NeededKey[]> {
    const known = this.keys.map(keyIdOf);
    const counts = new Map<string, number>();
    for await (const { sealed } of this.secrets()) {
      const key = sealingKeyOf(sealed);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    const rank = (key: string) => known.indexOf(key);
    return [...counts]
      .toSorted(([a], [b]) => rank(a) - rank(b))
      .map(([key, secrets]) => ({ key, secrets, state: stateOf(rank(key)) }));
  }

  /**
   * Seals every secret that signs with the newest key. What is so already stays as it is, so that a
   * repetition goes on where an earlier run ended; a secret that is replaced meanwhile is left alone.
   *
   * @param progress takes how many are done with, of how many
   */
  async reseal(progress: (done: number, total: number) => void): Promise<Resealed> {
    const [newest] = this.keys.map(keyIdOf);
    const isOld = ({ sealed }: OldSecret) => sealingKeyOf(sealed) !== newest;
    let total = 0;
    for await (const secret of this.secrets()) if (isOld(secret)) total += 1;
    const unopened: UnopenedSecret[] = [];
    let [done, resealed] = [0, 0];
    for await (const endpoints of this.endpoints.batchesWithSecrets()) {
      const old = this.secretsOf(endpoints).filter(isOld);
      const replacements = old.flatMap((secret) => {
        const outcome = resealedWith(this.keys, secret);
        if ('to' in outcome) return [outcome];
        unopened.push(outcome);
        return [];
      });
      resealed += await this.endpoints.replaceSealed(replacements);
      done += old.length;
      if (old.length > 0) progress(done, Math.max(done, total));
    }
    return { resealed, unopened, keys: await this.needed() };
  }

  private async *secrets(): AsyncGenerator<OldSecret> {
    for await (const endpoints of this.endpoints.batchesWithSecrets()) {
      yield* this.secretsOf(endpoints);
    }
  }

  private secretsOf(endpoints: readonly EndpointSecretsOnly[]): OldSecret[] {
    const now = this.clock.now();
    return endpoints.flatMap((endpoint) =>
      // Other programs may have written what is no text.
      signingSecrets(endpoint, now).map(({ sealed }) => ({ endpoint, sealed: textOf(sealed) })),
    );
  }
}

function stateOf(rank: number): NeededKey['state'] {
  if (rank === 0) return 'newest';
  return rank > 0 ? 'listed' : 'missing';
}

function resealedWith(
  keys: readonly Buffer[],
  { endpoint: { _id, organizationId }, sealed }: OldSecret,
): SealedReplacement | UnopenedSecret {
  const endpointId = _id.toHexString();
  try {
    return { _id, from: sealed, to: seal(open(sealed, keys, endpointId), keys, endpointId) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const key = sealingKeyOf(sealed);
    return { endpointId, organizationId: organizationId.toHexString(), key, reason };
  }
}
