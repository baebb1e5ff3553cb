import { Injectable, Logger } from '@nestjs/common';
import type { Types } from 'mongoose';
import { CountersRepository } from '../core/database/counters/counters.repository.js';
import { LeadsRepository } from './leads.repository.js';

const sequence = 'leadId';
/** Numbers that one query counts in about a second. */
const maxStep = 2 ** 20;

/** Numbers leads from 1 (rule LEAD-6). */
@Injectable()
export class LeadNumbers {
  private readonly logger = new Logger(LeadNumbers.name);
  /** Running searches by organization; no number is given out meanwhile. */
  private readonly searches = new Map<string, Promise<void>>();

  constructor(
    private readonly counters: CountersRepository,
    private readonly leads: LeadsRepository,
  ) {}

  async next(organizationId: Types.ObjectId, count: number): Promise<number[]> {
    if (count === 0) return [];
    await this.searches.get(organizationId.toHexString());
    return this.counters.next(organizationId, sequence, count);
  }

  /** Skips numbers that another program has used. Concurrent requests share one search. */
  async skipTaken(organizationId: Types.ObjectId): Promise<void> {
    const id = organizationId.toHexString();
    const running = this.searches.get(id);
    if (running !== undefined) return running;
    const search = this.findFree(organizationId).finally(() => this.searches.delete(id));
    this.searches.set(id, search);
    return search;
  }

  /** Searches in steps that double and then halve. Each step is stored, in case the search is cut off. */
  private async findFree(organizationId: Types.ObjectId): Promise<void> {
    const first = await this.counters.skipTo(organizationId, sequence, 0);
    let last = first;
    const skipIfTaken = async (size: number) => {
      const range = { after: last, upTo: last + size };
      if ((await this.leads.countNumbers(organizationId, range)) < size) return false;
      last = await this.counters.skipTo(organizationId, sequence, last + size);
      return true;
    };
    let size = 1;
    while (await skipIfTaken(size)) size = Math.min(2 * size, maxStep);
    for (size /= 2; size >= 1; size /= 2) await skipIfTaken(size);
    const details = { organization: organizationId.toHexString(), after: first, next: last + 1 };
    this.logger.log(details, 'Skipped lead numbers that another program has used');
  }
}
