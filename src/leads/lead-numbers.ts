import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { CountersRepository } from '../database/counters/counters.repository.js';
import { LeadsRepository } from './leads.repository.js';

const sequence = 'leadId';
const batchSize = 1_000;

/** Numbers of leads: from 1, one more for each (rule LEAD-6). */
@Injectable()
export class LeadNumbers {
  constructor(
    private readonly counters: CountersRepository,
    private readonly leads: LeadsRepository,
  ) {}

  /** The next numbers of an organization, in ascending order. */
  async next(organizationId: Types.ObjectId, count: number): Promise<number[]> {
    return count === 0 ? [] : this.counters.next(organizationId, sequence, count);
  }

  /** Continues at the first free number after one that another program has used. */
  async skipTaken(organizationId: Types.ObjectId, taken: number): Promise<void> {
    let last = taken;
    for (;;) {
      const numbers = await this.leads.takenNumbers(organizationId, last + 1, batchSize);
      const gap = numbers.findIndex((number, index) => number !== last + 1 + index);
      last += gap === -1 ? numbers.length : gap;
      if (gap !== -1 || numbers.length < batchSize) break;
    }
    await this.counters.skipTo(organizationId, sequence, last);
  }
}
