import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import type { KeysetPage, KeysetRequest } from '../../core/database/documents/keyset.js';
import { OperatorLogRepository } from './operator-log.repository.js';
import type { OperatorLogDocument } from './operator-log.schema.js';

export type OperatorLogEntry = OperatorLogDocument;

export type OperatorRequest = Omit<
  OperatorLogDocument,
  '_id' | 'result' | 'count' | 'createdAt' | 'updatedAt'
>;

export const wholeDatabase = {
  _id: 'database',
  organizationId: new Types.ObjectId('000000000000000000000000'),
};

/** Logs actions before they happen (rule OPS-31). */
@Injectable()
export class OperatorLogService {
  constructor(
    private readonly entries: OperatorLogRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Does nothing if the log entry cannot be stored.
   *
   * @param work returns the number of affected records, if there is one
   * @returns undefined for a repeated form, whose action is not repeated
   */
  async perform<T>(request: OperatorRequest, work: () => Promise<T>): Promise<T | undefined> {
    const now = this.clock.now();
    const entry: OperatorLogDocument = {
      ...request,
      _id: new Types.ObjectId(),
      result: 'begun',
      count: null,
      createdAt: now,
      updatedAt: now,
    };
    if (!(await this.entries.insert(entry))) return undefined;
    try {
      const result = await work();
      await this.end(entry, 'done', typeof result === 'number' ? result : null);
      return result;
    } catch (error) {
      // The work's error matters more than one of the log.
      await this.end(entry, 'failed', null).catch(() => undefined);
      throw error;
    }
  }

  async find(organizationId: Types.ObjectId, formId: string): Promise<OperatorLogEntry | null> {
    return this.entries.find(organizationId, formId);
  }

  async list(part: KeysetRequest): Promise<KeysetPage<OperatorLogEntry>> {
    return this.entries.list(part);
  }

  private async end(
    entry: OperatorLogDocument,
    result: 'done' | 'failed',
    count: number | null,
  ): Promise<void> {
    await this.entries.update(entry, { result, count, updatedAt: this.clock.now() });
  }
}
