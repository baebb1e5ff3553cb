import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Collection } from 'mongodb';
import { type Model, Types } from 'mongoose';
import { type CallCounts, type CallerCounts, callsOf, errorsOf } from './call-counts.js';
import type { CallFigureDocument } from './call-figure.schema.js';

/** Attempts to deliver webhooks. */
export interface DeliveryCounts {
  readonly delivered: number;
  readonly failed: number;
}

/** What was counted in a minute or an hour. */
export interface Figures {
  readonly at: Date;
  readonly total: CallCounts;
  readonly callers: readonly CallerCounts[];
  readonly deliveries: DeliveryCounts;
}

/** A minute as it is stored. */
export interface StoredMinute extends Figures {
  readonly _id: Types.ObjectId;
  readonly storedAt: Date;
}

/** The part of the figures that charts over time need. */
export type Totals = Pick<Figures, 'at' | 'total' | 'deliveries'>;

/** The calls of a key in an hour. */
export interface KeyHour {
  readonly keyId: string;
  readonly organizationId: string;
  readonly calls: number;
  readonly errors: number;
}

/** Figures of calls, which are of no organization. */
@Injectable()
export class CallFiguresRepository {
  private readonly figures: Collection<CallFigureDocument>;

  constructor(@InjectModel('CallFigure') { collection }: Model<CallFigureDocument>) {
    this.figures = collection as unknown as Collection<CallFigureDocument>;
  }

  /** Stores what a process has counted in a minute; safe to repeat, with more calls, too. */
  async saveMinute(
    instance: string,
    { at, total, callers, deliveries }: Figures,
    { storedAt, expiresAt }: { readonly storedAt: Date; readonly expiresAt: Date },
  ): Promise<void> {
    const $set = {
      total: { ...total },
      callers: callers.map(stored),
      deliveries: { ...deliveries },
      rolledUp: false,
      storedAt,
      expiresAt,
    };
    await this.figures.updateOne({ span: 'minute', at, instance }, { $set }, { upsert: true });
  }

  /** Stores an hour, in place of what was stored of it; safe to repeat. */
  async saveHour(
    { at, total, callers, deliveries }: Figures,
    { storedAt, expiresAt }: { readonly storedAt: Date; readonly expiresAt: Date },
  ): Promise<void> {
    const $set = {
      total: { ...total },
      callers: callers.map(stored),
      keys: keysOf(callers),
      deliveries: { ...deliveries },
      storedAt,
      expiresAt,
    };
    await this.figures.updateOne({ span: 'hour', at, instance: null }, { $set }, { upsert: true });
  }

  /** When the oldest minute before a time begins that its hour lacks; null when there is none. */
  async oldestNotRolledUp(before: Date): Promise<Date | null> {
    const filter = { rolledUp: false, at: { $lt: before } };
    const found = await this.figures.findOne(filter, { sort: { at: 1 }, projection: { at: 1 } });
    return found?.at ?? null;
  }

  /** The minutes of all processes from a time on and before another one, oldest first. */
  async *minutes(from: Date, before: Date): AsyncGenerator<StoredMinute, void> {
    const found = this.figures
      .find({ span: 'minute', at: { $gte: from, $lt: before } })
      .sort({ at: 1 });
    for await (const document of found) yield { ...document, callers: callersOf(document) };
  }

  /** Marks minutes as held by their hour, unless they were written since they were read. */
  async markRolledUp(minutes: readonly Pick<StoredMinute, '_id' | 'storedAt'>[]): Promise<void> {
    if (minutes.length === 0) return;
    await this.figures.bulkWrite(
      minutes.map(({ _id, storedAt }) => ({
        updateOne: { filter: { _id, storedAt }, update: { $set: { rolledUp: true } } },
      })),
      { ordered: false },
    );
  }

  /** The totals of the minutes from a time on, one of each process, oldest first. */
  async minuteTotals(from: Date): Promise<Totals[]> {
    return this.figures
      .find({ span: 'minute', at: { $gte: from } })
      .sort({ at: 1 })
      .project<Totals>({ _id: 0, at: 1, total: 1, deliveries: 1 })
      .toArray();
  }

  /** The hours from a time on and before another one, oldest first. */
  async hours(from: Date, before: Date): Promise<Figures[]> {
    const found = await this.figures
      .find({ span: 'hour', at: { $gte: from, $lt: before } })
      .sort({ at: 1 })
      .project<CallFigureDocument>({ keys: 0 })
      .toArray();
    return found.map((document) => ({ ...document, callers: callersOf(document) }));
  }

  /** The calls of the keys in the hours from a time on, oldest first. */
  async keyHours(from: Date): Promise<{ readonly at: Date; readonly keys: KeyHour[] }[]> {
    const found = await this.figures
      .find({ span: 'hour', at: { $gte: from } })
      .sort({ at: 1 })
      .project<Pick<CallFigureDocument, 'at' | 'keys'>>({ _id: 0, at: 1, keys: 1 })
      .toArray();
    return found.map(({ at, keys = [] }) => ({
      at,
      keys: keys.map(({ keyId, organizationId, calls, failed: errors }) => ({
        keyId: keyId?.toHexString() ?? '',
        organizationId: organizationId?.toHexString() ?? '',
        calls,
        errors,
      })),
    }));
  }
}

function stored({ keyId, organizationId, ...rest }: CallerCounts) {
  return { keyId: idOf(keyId), organizationId: idOf(organizationId), ...rest };
}

function callersOf({ callers }: Pick<CallFigureDocument, 'callers'>): CallerCounts[] {
  return callers.map(({ keyId, organizationId, ...rest }) => ({
    keyId: keyId?.toHexString() ?? null,
    organizationId: organizationId?.toHexString() ?? null,
    ...rest,
  }));
}

/** Calls without a key are nobody's habit. */
function keysOf(callers: readonly CallerCounts[]) {
  const keys = new Map<string, { organizationId: string | null; calls: number; errors: number }>();
  for (const caller of callers) {
    if (caller.keyId === null) continue;
    const key = keys.get(caller.keyId) ?? {
      organizationId: caller.organizationId,
      calls: 0,
      errors: 0,
    };
    key.calls += callsOf(caller);
    key.errors += errorsOf(caller);
    keys.set(caller.keyId, key);
  }
  return [...keys].map(([keyId, { organizationId, calls, errors }]) => ({
    keyId: idOf(keyId),
    organizationId: idOf(organizationId),
    calls,
    failed: errors,
  }));
}

function idOf(id: string | null): Types.ObjectId | null {
  return id === null ? null : new Types.ObjectId(id);
}
