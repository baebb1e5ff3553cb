import { Injectable } from '@nestjs/common';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import type { FastifyRequest } from 'fastify';
import { SchemaTypes, Types } from 'mongoose';
import { reservationStatuses } from '../../availability/availability.js';
import {
  InjectCollection,
  type TenantCollection,
} from '../../core/database/documents/tenant-collection.js';
import { newestFirst } from '../../core/database/documents/keyset.js';
import { TenantDocument, addTtlIndex } from '../../core/database/documents/tenant-document.js';
import type { TenantIds } from '../../core/database/documents/tenant-queries.js';
import type { RequestCaller } from '../../core/http/request-caller.js';
import { isPlainObject } from '../../core/values/json.js';
import { isAmount } from '../../core/values/numbers.js';
import { isChequeNumber, isExternalId, isObjectId } from '../../core/values/text.js';
import { chequeStatuses } from '../transitions.js';
import type { CallbackEffects, CallbackOutcome } from './callback-decision.js';

export interface RejectedField {
  readonly field: string;
  readonly type: string;
  /** Number of characters, items or fields; null for any other value. */
  readonly length: number | null;
}

/** Contains no free text, and so no personal data (rule CALL-15). */
export interface CallbackRecord {
  readonly requestId: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly refusedFields: readonly RejectedField[];
  readonly otherFields: number;
}

/** Shows the operator what a partner sent and what the callback did (rule CALL-15). */
@Schema({ collection: 'reservationCallbacks' })
export class CallbackLogDocument extends TenantDocument {
  @Prop({ type: SchemaTypes.ObjectId })
  apiKeyId!: Types.ObjectId;

  @Prop({ type: String })
  requestId!: string;

  /** In lower case; null unless the body had an ObjectId. */
  @Prop({ type: String })
  reservationId!: string | null;

  @Prop({ type: SchemaTypes.Mixed, bsonType: 'object' })
  payload!: CallbackRecord['payload'];

  @Prop({ type: [SchemaTypes.Mixed] })
  refusedFields!: readonly RejectedField[];

  @Prop({ type: Number })
  otherFields!: number;

  @Prop({ type: SchemaTypes.Mixed, bsonType: 'object' })
  outcome!: Omit<CallbackOutcome, 'error'> & {
    readonly status: number;
    readonly errorCode: string | null;
    readonly messages: readonly string[];
    /** Absent if nothing was decided, and in entries of earlier versions. */
    readonly effects?: CallbackEffects;
  };
}

export const callbackLogSchema = SchemaFactory.createForClass(CallbackLogDocument);

callbackLogSchema.index(
  { organizationId: 1, reservationId: 1, createdAt: -1, _id: -1 },
  { name: 'ofReservation' },
);
callbackLogSchema.index({ organizationId: 1, requestId: 1 }, { name: 'ofRequest' });
addTtlIndex(
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

  /** Joins an open transaction. */
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

  async findByReservation(
    organizationIds: TenantIds,
    reservationId: string,
    limit: number,
  ): Promise<CallbackLogDocument[]> {
    return this.log.find(organizationIds, { reservationId }, { sort: newestFirst, limit });
  }

  /** Returns the newest first. */
  async findWithUnitChange(
    organizationId: Types.ObjectId,
    reservationIds: readonly string[],
    limit: number,
  ): Promise<CallbackLogDocument[]> {
    const hasChange = { 'outcome.effects.unit': { $exists: true } };
    const filter = { reservationId: { $in: reservationIds }, ...hasChange };
    return this.log.find(organizationId, filter, { sort: newestFirst, limit });
  }

  async findByRequest(
    organizationIds: TenantIds,
    requestId: string,
    limit: number,
  ): Promise<CallbackLogDocument[]> {
    return this.log.find(organizationIds, { requestId }, { limit });
  }
}

const loggedFieldChecks = new Map<string, (value: unknown) => boolean>([
  ['reservationId', (value) => typeof value === 'string' && isObjectId(value)],
  ['installmentId', isExternalId],
  ['chequeNumber', isChequeNumber],
  ['chequeAmount', isAmount],
  ['chequeStatus', (value) => isSpellingOf(chequeStatuses, value)],
  ['reservationStatus', (value) => isSpellingOf(reservationStatuses, value)],
]);

export function callbackRecord({ id, body }: Pick<FastifyRequest, 'id' | 'body'>): CallbackRecord {
  const fields = isPlainObject(body) ? Object.entries(body) : [];
  const known = fields.filter(([field]) => loggedFieldChecks.has(field));
  // An optional field that is null counts as not sent (rule HTTP-9).
  const sent = known.filter(([field, value]) => value !== null || field === 'reservationId');
  return {
    requestId: id,
    payload: Object.fromEntries(sent.filter(isLogged)),
    refusedFields: sent.filter((entry) => !isLogged(entry)).map(rejectedField),
    otherFields: fields.length - known.length,
  };
}

function isLogged([field, value]: [string, unknown]): boolean {
  return loggedFieldChecks.get(field)?.(value) === true;
}

/** A spelling may repeat separators, but the log must stay small. */
const maxSpellingLength = 64;

/** Ignores case, blanks and separators. */
function isSpellingOf(statuses: readonly string[], value: unknown): boolean {
  if (typeof value !== 'string' || value.length > maxSpellingLength) return false;
  const letters = lettersOf(value);
  return statuses.some((status) => lettersOf(status) === letters);
}

function lettersOf(status: string): string {
  return status.toLowerCase().replaceAll(/[\s_./-]/g, '');
}

function rejectedField([field, value]: [string, unknown]): RejectedField {
  if (typeof value === 'string') return { field, type: 'string', length: value.length };
  if (Array.isArray(value)) return { field, type: 'array', length: value.length };
  if (isPlainObject(value)) return { field, type: 'object', length: Object.keys(value).length };
  // The parser turns integers that a double cannot hold into driver objects.
  const type = value === null ? 'null' : typeof value;
  return { field, type: type === 'object' ? 'number' : type, length: null };
}
