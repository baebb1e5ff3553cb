import { Injectable } from '@nestjs/common';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, Types } from 'mongoose';
import {
  InjectCollection,
  type TenantCollection,
} from '../../core/database/documents/tenant-collection.js';
import { newestFirst } from '../../core/database/documents/keyset.js';
import { TenantDocument, expireAfter } from '../../core/database/documents/tenant-document.js';
import type { Tenants } from '../../core/database/documents/tenant-queries.js';
import type { RequestCaller } from '../../core/http/request-caller.js';
import type { CallbackEffects, CallbackOutcome } from './callback-decision.js';
import type { CallbackRecord, RefusedField } from './callback-record.js';

/** One authenticated callback and its outcome, for the operator (rule CALL-15). */
@Schema({ collection: 'reservationCallbacks' })
export class CallbackLogDocument extends TenantDocument {
  @Prop({ type: SchemaTypes.ObjectId })
  apiKeyId!: Types.ObjectId;

  @Prop({ type: String })
  requestId!: string;

  /** In lower case; null when the body had none that is an ObjectId. */
  @Prop({ type: String })
  reservationId!: string | null;

  @Prop({ type: SchemaTypes.Mixed, bsonType: 'object' })
  payload!: CallbackRecord['payload'];

  @Prop({ type: [SchemaTypes.Mixed] })
  refusedFields!: readonly RefusedField[];

  @Prop({ type: Number })
  otherFields!: number;

  @Prop({ type: SchemaTypes.Mixed, bsonType: 'object' })
  outcome!: Omit<CallbackOutcome, 'error'> & {
    readonly status: number;
    readonly errorCode: string | null;
    readonly messages: readonly string[];
    /** Absent where nothing was decided, and in entries of earlier versions. */
    readonly effects?: CallbackEffects;
  };
}

export const callbackLogSchema = SchemaFactory.createForClass(CallbackLogDocument);

callbackLogSchema.index(
  { organizationId: 1, reservationId: 1, createdAt: -1, _id: -1 },
  { name: 'ofReservation' },
);
callbackLogSchema.index({ organizationId: 1, requestId: 1 }, { name: 'ofRequest' });
expireAfter(
  callbackLogSchema,
  { createdAt: 1 },
  { kind: 'callbacks', setting: 'CALLBACKS_RETENTION_DAYS' },
);

export interface LoggedCallback {
  readonly caller: RequestCaller;
  readonly record: CallbackRecord;
  readonly outcome: CallbackLogDocument['outcome'];
}

@Injectable()
export class CallbackLogRepository {
  constructor(
    @InjectCollection('CallbackLog')
    private readonly log: TenantCollection<CallbackLogDocument>,
  ) {}

  /** Joins the open transaction if there is one. */
  async insert(callbacks: readonly LoggedCallback[], now: Date): Promise<void> {
    await this.log.insert(
      ...callbacks.map(({ caller: { organizationId, apiKeyId }, record, outcome }) => {
        const { reservationId } = record.payload;
        return {
          _id: new Types.ObjectId(),
          organizationId,
          apiKeyId,
          ...record,
          reservationId: typeof reservationId === 'string' ? reservationId.toLowerCase() : null,
          outcome,
          createdAt: now,
          updatedAt: now,
        };
      }),
    );
  }

  async ofReservation(
    organizationIds: Tenants,
    reservationId: string,
    limit: number,
  ): Promise<CallbackLogDocument[]> {
    return this.log.find(organizationIds, { reservationId }, { sort: newestFirst, limit });
  }

  /** The callbacks about reservations that changed the status of the unit, newest first. */
  async withUnitChanges(
    organizationId: Types.ObjectId,
    reservationIds: readonly string[],
    limit: number,
  ): Promise<CallbackLogDocument[]> {
    const filter = {
      reservationId: { $in: reservationIds },
      'outcome.effects.unit': { $exists: true },
    };
    return this.log.find(organizationId, filter, { sort: newestFirst, limit });
  }

  async ofRequest(
    organizationIds: Tenants,
    requestId: string,
    limit: number,
  ): Promise<CallbackLogDocument[]> {
    return this.log.find(organizationIds, { requestId }, { limit });
  }
}
