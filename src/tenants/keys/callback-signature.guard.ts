import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Clock } from '../../core/configuration/clock.js';
import { authenticationErrors } from './key-errors.js';
import { DomainError } from '../../core/errors/domain-error.js';
import { routeOptionsOf } from '../../core/http/requests/route-options.js';
import type { Signature } from '../../core/secrets/signing-secret.js';
import { minuteMs } from '../../core/values/time.js';
import { AuthFailureLimiter } from './auth-failure-limiter.js';
import { CallbackSignatures } from './callback-signatures.js';
import type { Caller } from './caller.js';

/** Allows for transfer time and the partner's clock. */
const maxClockSkewMs = 5 * minuteMs;

type SignatureFailure = 'signatureMissing' | 'signatureExpired' | 'signatureMismatch';

/**
 * Applies to callbacks whose keys have secrets (rule AUTH-8). The body's interceptor calls `verifyRawBody`, because
 * only the bytes of the body show whether the signature is right.
 */
@Injectable()
export class CallbackSignatureGuard implements CanActivate {
  constructor(
    private readonly signatures: CallbackSignatures,
    private readonly failures: AuthFailureLimiter,
    private readonly clock: Clock,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const caller = request.caller as Caller | undefined;
    const isCallback = routeOptionsOf(request).operation === 'reservations.callback';
    if (!isCallback || !caller?.secrets) return true;
    const signature = signatureOf(request);
    if (signature === null) throw this.failure(request, 'signatureMissing');
    if (!this.isCurrent(signature)) throw this.failure(request, 'signatureExpired');
    request.verifyRawBody = (body) => {
      if (!this.signatures.isSigned(caller, body, signature))
        throw this.failure(request, 'signatureMismatch');
      request.headers['idempotency-key'] = signature.id;
    };
    return true;
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
