import { authenticationErrors } from '../core/http/errors/authentication-errors.js';
import { compoundErrors } from '../compounds/compound-errors.js';
import type { ErrorDefinition } from '../core/http/errors/error-definition.js';
import { eventErrors } from '../events/feed/event-errors.js';
import { httpErrors } from '../core/http/errors/http-errors.js';
import { idempotencyErrors } from '../core/idempotency/idempotency-errors.js';
import { leadErrors } from '../leads/lead-errors.js';
import { reservationErrors } from '../reservations/reservation-errors.js';
import { unitErrors } from '../units/unit-errors.js';

/** Every error of the API by feature. */
export const errorLists: Readonly<Record<string, readonly ErrorDefinition[]>> = {
  http: Object.values(httpErrors),
  idempotency: Object.values(idempotencyErrors),
  authentication: Object.values(authenticationErrors),
  leads: Object.values(leadErrors),
  reservations: Object.values(reservationErrors),
  compounds: Object.values(compoundErrors),
  units: Object.values(unitErrors),
  events: Object.values(eventErrors),
};
