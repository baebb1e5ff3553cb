import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Types } from 'mongoose';
import {
  type DeletableDocument,
  objectIds,
} from '../../core/database/documents/tenant-document.js';
import type { BatchOptions, TenantFilter } from '../../core/database/documents/tenant-queries.js';
import { batchesOf } from '../../core/database/models/batches.js';
import {
  changedSince,
  newestChange,
  valuesChangedSince,
} from '../../core/database/models/changes.js';
import type { TenantModel } from '../../core/database/models/tenant-model.js';
import type { ChequeWalletDocument } from '../cheques/cheque-wallet.schema.js';
import type { ReservationDocument } from '../reservation.schema.js';

export type ReservationFilter = TenantFilter<ReservationDocument>;

@Injectable()
export class ReservationListsRepository {
  constructor(
    @InjectModel('Reservation') private readonly reservations: TenantModel<ReservationDocument>,
    @InjectModel('ChequeWallet') private readonly wallets: TenantModel<ChequeWalletDocument>,
  ) {}

  async count(organizationId: Types.ObjectId, filter: ReservationFilter): Promise<number> {
    return this.reservations.countDocuments({ ...filter, organizationId });
  }

  batches(
    organizationId: Types.ObjectId,
    filter: ReservationFilter,
    options: BatchOptions<ReservationDocument>,
  ): AsyncGenerator<ReservationDocument[], void> {
    return batchesOf(this.reservations, { ...filter, organizationId }, options);
  }

  changedSince(
    organizationId: Types.ObjectId,
    since: Date,
    alternatives: readonly ReservationFilter[],
  ): Promise<ReservationFilter> {
    return changedSince(this.reservations, organizationId, since, alternatives);
  }

  /** Returns null if `limit` or more wallets changed. */
  async idsWithChangedWallet(
    organizationId: Types.ObjectId,
    since: Date,
    limit: number,
  ): Promise<Types.ObjectId[] | null> {
    const part = { field: 'reservationId', limit } as const;
    const changed = await valuesChangedSince(this.wallets, organizationId, since, part);
    return changed.isComplete ? objectIds(changed.values) : null;
  }

  newestChange(organizationId: Types.ObjectId): Promise<Date> {
    const models = [this.reservations, this.wallets] as unknown as TenantModel<DeletableDocument>[];
    return newestChange(models, organizationId);
  }
}
