import { Inject, Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import { authenticationErrors } from '../../core/http/errors/authentication-errors.js';
import { DomainError } from '../../core/http/errors/domain-error.js';
import { routeOptionsOf } from '../../core/http/server/route-options.js';
import { encryptionKeys, unseal, seal } from '../../core/secrets/secret-box.js';
import {
  isSignedWith,
  type SealedSecret,
  type Signature,
  signingSecrets,
} from '../../core/secrets/signing-secret.js';
import { minuteMs } from '../../core/values/time.js';
import { AuthFailureLimiter } from './auth-failure-limiter.js';
import type { Caller } from './caller.js';

/** Allows for transfer time and the partner's clock. */
const maxClockSkewMs = 5 * minuteMs;

type SignatureFailure = 'signatureMissing' | 'signatureExpired' | 'signatureMismatch';

/** Applies to callbacks whose keys have secrets (rule AUTH-8). */
@Injectable()
export class CallbackSignatures {
  private readonly encryptionKeys: readonly Buffer[];

  constructor(
    @Inject(ENVIRONMENT) environment: Environment,
    private readonly failures: AuthFailureLimiter,
    private readonly clock: Clock,
  ) {
    this.encryptionKeys = encryptionKeys(environment);
  }

  addTo(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', (request, _reply, done) => {
      const { secrets } = (request.caller ?? {}) as Partial<Caller>;
      if (!secrets || routeOptionsOf(request).permission !== 'reservations.callback') return done();
      const signature = signatureOf(request);
      if (signature === null) return done(this.failure(request, 'signatureMissing'));
      if (!this.isCurrent(signature)) return done(this.failure(request, 'signatureExpired'));
      request.verifyRawBody = (body) => {
        if (!this.isSigned(request.caller as Caller, body, signature))
          throw this.failure(request, 'signatureMismatch');
        request.headers['idempotency-key'] = signature.id;
        request.verifyRawBody = null;
      };
      done();
    });
    // A request without a body has not been verified yet.
    fastify.addHook('preHandler', (request, _reply, done) => {
      done(request.verifyRawBody === null ? undefined : this.failure(request, 'signatureMismatch'));
    });
  }

  seal(keyId: Types.ObjectId, secret: string, createdAt: Date): SealedSecret {
    const sealed = seal(secret, this.encryptionKeys, keyId.toHexString());
    return { sealed, createdAt, expiresAt: null };
  }

  unseal(keyId: Types.ObjectId, { sealed }: SealedSecret): string {
    return unseal(sealed, this.encryptionKeys, keyId.toHexString());
  }

  private isSigned({ secrets, apiKeyId }: Caller, body: Buffer, signature: Signature): boolean {
    return signingSecrets(secrets, this.clock.now()).some((secret) =>
      isSignedWith(this.unseal(apiKeyId, secret), body, signature),
    );
  }

  private isCurrent({ timestamp }: Signature): boolean {
    const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : NaN;
    return Math.abs(this.clock.now().getTime() - 1_000 * seconds) <= maxClockSkewMs;
  }

  private failure({ ip }: FastifyRequest, reason: SignatureFailure): DomainError {
    return this.failures.count(ip, new DomainError(authenticationErrors[reason]));
  }
}

/** An empty header counts as missing: an empty id could not name the message. */
function signatureOf({ headers }: FastifyRequest): Signature | null {
  const [id = '', timestamp = '', signatures = ''] = ['id', 'timestamp', 'signature'].map((name) =>
    String(headers[`webhook-${name}`] ?? ''),
  );
  return id === '' || timestamp === '' || signatures === '' ? null : { id, timestamp, signatures };
}
