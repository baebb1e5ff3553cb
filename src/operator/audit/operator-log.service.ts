import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import type { KeysetPage, KeysetRequest } from '../../core/database/documents/keyset.js';
import { OperatorLogRepository } from './operator-log.repository.js';
import type { OperatorLogDocument } from './operator-log.schema.js';

export type OperatorLogEntry = OperatorLogDocument;

/** What the operator asks for. */
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

/** What became of a request, now or when it was sent before. */
export type OperatorOutcome = Pick<OperatorLogDocument, 'result' | 'count'>;

/** In the place of an organization and its record: something that is done to all that there are. */
export const wholeDatabase = {
  _id: 'database',
  organizationId: new Types.ObjectId('000000000000000000000000'),
};

/** What the operator does is logged before it is done (rule OPS-31). */
@Injectable()
export class OperatorLogService {
  constructor(
    private readonly log: OperatorLogRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Logs a request and does what it asks for; a form that is sent again does nothing more.
   *
   * @param work gives how many it affected
   * @throws what the work throws, which is logged as failed; without an entry in the log nothing is done
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
      // The failure itself matters more than that it cannot be logged.
      await this.log.setResult(entry, 'failed', null, this.clock.now()).catch(() => undefined);
      throw error;
    }
  }

  /** What the form of an id asked for, null where there was none. */
  async find(organizationId: Types.ObjectId, formId: string): Promise<OperatorLogEntry | null> {
    return this.log.findByForm(organizationId, formId);
  }

  /** What was done, newest first. */
  async list(part: KeysetRequest): Promise<KeysetPage<OperatorLogEntry>> {
    return this.log.list(part);
  }
}
