import { Inject, Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import { encryptionKeys, unseal, seal } from '../../core/secrets/secret-box.js';
import {
  isSignedWith,
  type SealedSecret,
  type Signature,
  signingSecrets,
} from '../../core/secrets/signing-secret.js';
import type { Caller } from './caller.js';

/** Seals the secrets of signed keys, and checks signatures with them (rule AUTH-8). */
@Injectable()
export class CallbackSignatures {
  private readonly encryptionKeys: readonly Buffer[];

  constructor(
    @Inject(ENVIRONMENT) environment: Environment,
    private readonly clock: Clock,
  ) {
    this.encryptionKeys = encryptionKeys(environment);
  }

  seal(keyId: Types.ObjectId, secret: string, createdAt: Date): SealedSecret {
    const sealed = seal(secret, this.encryptionKeys, keyId.toHexString());
    return { sealed, createdAt, expiresAt: null };
  }

  unseal(keyId: Types.ObjectId, { sealed }: SealedSecret): string {
    return unseal(sealed, this.encryptionKeys, keyId.toHexString());
  }

  isSigned({ secrets, apiKeyId }: Caller, body: Buffer, signature: Signature): boolean {
    return signingSecrets(secrets, this.clock.now()).some((secret) =>
      isSignedWith(this.unseal(apiKeyId, secret), body, signature),
    );
  }
}
