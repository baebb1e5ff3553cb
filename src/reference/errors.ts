import { httpErrors } from '../core/errors/http-errors.js';
import { authenticationErrors } from '../tenants/keys/key-errors.js';
import type { ErrorDefinition } from '../core/errors/domain-error.js';
import { idempotencyErrors } from '../core/errors/idempotency-errors.js';
import { eventErrors } from '../events/feed/event-errors.js';
import { leadErrors } from '../leads/lead-errors.js';
import { reservationErrors } from '../reservations/reservation-errors.js';
import { compoundErrors } from '../compounds/compound-errors.js';
import { unitErrors } from '../units/unit-errors.js';

export const allErrors: readonly ErrorDefinition[] = [
  httpErrors,
  idempotencyErrors,
  authenticationErrors,
  leadErrors,
  reservationErrors,
  compoundErrors,
  unitErrors,
  eventErrors,
].flatMap((errors: Readonly<Record<string, ErrorDefinition>>) => Object.values(errors));
