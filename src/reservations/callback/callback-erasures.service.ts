import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { PreparedRewrites } from '../../database/documents/rewrites.js';
import { isScalar } from '../../values/scalar.js';
import { ReservationsRepository } from '../reservations.repository.js';
import { CallbackLogRepository } from './callback-log.repository.js';
import { knownCallbackFields } from './known-fields.js';

/** Removes what logged callbacks say of a person (rule LEAD-15). */
@Injectable()
export class CallbackErasuresService {
  constructor(
    private readonly reservations: ReservationsRepository,
    private readonly log: CallbackLogRepository,
  ) {}

  /**
   * What becomes of callbacks: those about reservations of the leads lose all unknown fields, others
   * lose there what names the person.
   *
   * @param erase what is left of an unknown field
   */
  async *ofLeads(
    organizationId: Types.ObjectId,
    leadIds: readonly Types.ObjectId[],
    erase: (value: unknown) => unknown,
  ): AsyncGenerator<PreparedRewrites, void> {
    const found = await this.reservations.idsOfLeads(organizationId, leadIds);
    const ids = new Set(found.map((id) => id.toHexString()));
    yield* this.log.rewritesOfPayloads(organizationId, ({ reservationId, payload }) => {
      const isOwn = reservationId !== null && ids.has(reservationId);
      const left = Object.entries(payload ?? {}).flatMap(([name, value]): [string, unknown][] => {
        if (knownCallbackFields.has(name) && (isScalar(value) || value === null)) {
          return [[name, value]];
        }
        return isOwn ? [] : [[name, erase(value)]];
      });
      return Object.fromEntries(left);
    });
  }
}
