import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import type { KeysetPage, KeysetRequest } from '../../core/database/documents/keyset.js';
import { OperatorLogRepository } from './operator-log.repository.js';
import type { OperatorLogDocument } from './operator-log.schema.js';

export type OperatorLogEntry = OperatorLogDocument;

export type OperatorRequest = Pick<
  OperatorLogDocument,
  | 'organizationId'
  | 'formId'
  | 'action'
  | 'subject'
  | 'subjectId'
  | 'details'
  | 'address'
  | 'session'
>;

export type OperatorOutcome = Pick<OperatorLogDocument, 'result' | 'count'>;

/** The subject of an action on all organizations. */
export const wholeDatabase = {
  _id: 'database',
  organizationId: new Types.ObjectId('000000000000000000000000'),
};

/** Logs each action of the operator before it is done (rule OPS-31). */
@Injectable()
export class OperatorLogService {
  constructor(
    private readonly log: OperatorLogRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Does nothing for a form that was sent before, and nothing without a log entry.
   *
   * @param work returns the number of affected records
   */
  async perform(
    request: OperatorRequest,
    work: () => Promise<number | null>,
  ): Promise<OperatorOutcome> {
    const now = this.clock.now();
    const entry: OperatorLogDocument = {
      ...request,
      _id: new Types.ObjectId(),
      result: 'begun',
      count: null,
      createdAt: now,
      updatedAt: now,
    };
    if (!(await this.log.insert(entry))) {
      const earlier = await this.log.findByForm(request.organizationId, request.formId);
      return earlier ?? entry;
    }
    try {
      const count = await work();
      await this.log.setResult(entry, 'done', count, this.clock.now());
      return { result: 'done', count };
    } catch (error) {
      // The error of the work matters more than one of the log.
      await this.log.setResult(entry, 'failed', null, this.clock.now()).catch(() => undefined);
      throw error;
    }
  }

  async find(organizationId: Types.ObjectId, formId: string): Promise<OperatorLogEntry | null> {
    return this.log.findByForm(organizationId, formId);
  }

  async list(part: KeysetRequest): Promise<KeysetPage<OperatorLogEntry>> {
    return this.log.list(part);
  }
}
