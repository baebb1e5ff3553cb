import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Collection } from 'mongodb';
import { type Model, Types } from 'mongoose';
import { duplicateKey } from '../../core/database/connection/database-errors.js';
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

/** An hour, as far as its minutes are in it. */
export interface HourFigures extends Totals {
  /** It holds the minutes that begin before. */
  readonly until: Date;
  /** Of all processes together; none of minutes without calls. */
  readonly minutes: readonly Totals[];
  readonly routes: readonly (CallCounts & { readonly route: string })[];
  readonly keys: readonly (CallCounts & { readonly keyId: string | null })[];
}

/** The calls of a key in a week. */
export interface KeyWeek {
  readonly keyId: string;
  /** When the week begins. */
  readonly at: Date;
  /** By hour of the week, from 0; those without calls are left out. */
  readonly calls: Readonly<Record<string, number>>;
  readonly errors: Readonly<Record<string, number>>;
}

/** Times from one on and before another one. */
export interface TimeRange {
  readonly from: Date;
  readonly before: Date;
}

/** So many minutes are decoded at once: nothing else runs meanwhile. */
const minutesInBatch = 10;

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

  /**
   * Stores an hour, in place of what was stored of it; safe to repeat.
   *
   * @returns whether it was stored; false when more of its minutes are in what is stored
   */
  async saveHour(
    { at, keys, callers, ...rest }: HourFigures & Pick<Figures, 'callers'>,
    stamps: { readonly storedAt: Date; readonly expiresAt: Date },
  ): Promise<boolean> {
    const $set = {
      ...rest,
      callers: callers.map(stored),
      keys: keys.map(({ keyId, ...counts }) => ({ keyId: idOf(keyId), ...counts })),
      ...stamps,
    } as Partial<CallFigureDocument>;
    const filter = { span: 'hour', at, instance: null, until: { $lte: rest.until } } as const;
    try {
      await this.figures.updateOne(filter, { $set }, { upsert: true });
      return true;
    } catch (error) {
      if (duplicateKey(error) === undefined) throw error;
      return false;
    }
  }

  /**
   * Stores what keys have called in an hour of a week. What counts only grows, so that the highest is
   * the latest; safe to repeat.
   *
   * @param hour of the week, from 0
   */
  async saveKeyHours(
    week: Date,
    hour: number,
    keys: HourFigures['keys'],
    stamps: { readonly storedAt: Date; readonly expiresAt: Date },
  ): Promise<void> {
    const writes = keys.flatMap((key) => {
      if (key.keyId === null) return [];
      const failed = errorsOf(key);
      return {
        updateOne: {
          filter: { span: 'week', at: week, instance: null, keyId: new Types.ObjectId(key.keyId) },
          update: {
            $max: {
              [`calls.${hour}`]: callsOf(key),
              ...(failed === 0 ? {} : { [`failed.${hour}`]: failed }),
            },
            $set: stamps,
          },
          upsert: true,
        },
      } as const;
    });
    if (writes.length > 0) await this.figures.bulkWrite(writes, { ordered: false });
  }

  /** When the oldest minute before a time begins that its hour lacks; null when there is none. */
  async oldestNotRolledUp(before: Date): Promise<Date | null> {
    const filter = { rolledUp: false, at: { $lt: before } };
    const found = await this.figures.findOne(filter, { sort: { at: 1 }, projection: { at: 1 } });
    return found?.at ?? null;
  }

  /** The minutes of all processes in some times, in no order. */
  async *minutes(ranges: readonly TimeRange[]): AsyncGenerator<StoredMinute, void> {
    if (ranges.length === 0) return;
    const $or = ranges.map(({ from, before }) => ({
      span: 'minute' as const,
      at: { $gte: from, $lt: before },
    }));
    const found = this.figures.find({ $or }, { batchSize: minutesInBatch });
    for await (const document of found) {
      yield { ...(document as unknown as StoredMinute), callers: callersOf(document) };
    }
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

  /** The hours from a time on and before another one, oldest first; without the pairs of key and route. */
  async hours({ from, before }: TimeRange): Promise<HourFigures[]> {
    const found = await this.figures
      .find({ span: 'hour', at: { $gte: from, $lt: before } })
      .sort({ at: 1 })
      .project<CallFigureDocument>({ _id: 0, callers: 0 })
      .toArray();
    return found.map((document) => ({
      ...(document as unknown as HourFigures),
      keys: (document.keys ?? []).map(({ keyId, ...counts }) => ({
        keyId: keyId?.toHexString() ?? null,
        ...counts,
      })),
    }));
  }

  /** How far the hours from a time on and before another one are made, oldest first. */
  async hoursMade({ from, before }: TimeRange): Promise<Pick<HourFigures, 'at' | 'until'>[]> {
    return this.figures
      .find({ span: 'hour', at: { $gte: from, $lt: before } })
      .sort({ at: 1 })
      .project<Pick<HourFigures, 'at' | 'until'>>({ _id: 0, at: 1, until: 1 })
      .toArray();
  }

  /** The weeks that begin from a time on, of all keys or of one. */
  async keyWeeks(from: Date, keyId?: Types.ObjectId): Promise<KeyWeek[]> {
    const found = await this.figures
      .find({
        span: 'week',
        at: { $gte: from },
        instance: null,
        ...(keyId === undefined ? {} : { keyId }),
      })
      .project<Pick<CallFigureDocument, 'keyId' | 'at' | 'calls' | 'failed'>>({
        _id: 0,
        keyId: 1,
        at: 1,
        calls: 1,
        failed: 1,
      })
      .toArray();
    return found.map(({ keyId: id, at, calls = {}, failed = {} }) => ({
      keyId: id?.toHexString() ?? '',
      at,
      calls,
      errors: failed,
    }));
  }
}

function stored({ keyId, organizationId, ...rest }: CallerCounts) {
  return { keyId: idOf(keyId), organizationId: idOf(organizationId), ...rest };
}

function callersOf({ callers = [] }: Pick<CallFigureDocument, 'callers'>): CallerCounts[] {
  return callers.map(({ keyId, organizationId, ...rest }) => ({
    keyId: keyId?.toHexString() ?? null,
    organizationId: organizationId?.toHexString() ?? null,
    ...rest,
  }));
}

function idOf(id: string | null): Types.ObjectId | null {
  return id === null ? null : new Types.ObjectId(id);
}
