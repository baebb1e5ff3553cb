import { expect } from '@jest/globals';
import type { Test } from 'supertest';

interface Item {
  readonly _id: string;
  readonly isDeleted: boolean;
}

/** A program that keeps a copy of a list as the guide says, page by page. */
export class Poller {
  private readonly copy = new Map<string, Item>();
  private since: string | undefined;
  private next: string | null = null;

  constructor(
    private readonly get: (path: string) => Test,
    private readonly list: 'units' | 'compounds',
  ) {}

  /** Reads the next page of the reading that runs, or the first of a new one. */
  async readPage(limit: number): Promise<void> {
    const query = new URLSearchParams({ includeDeleted: '1', limit: String(limit) });
    if (this.since !== undefined) query.set('updatedSince', this.since);
    if (this.next !== null) query.set('after', this.next);
    else if (this.since === undefined) query.set('after', '0');
    const { body, headers } = await this.get(`/${this.list}?${query.toString()}`).expect(200);
    for (const item of body.data as Item[]) {
      if (item.isDeleted) this.copy.delete(item._id);
      else this.copy.set(item._id, item);
    }
    this.next = body.pagination.next;
    expect(headers['x-next-cursor'] ?? null).toBe(this.next);
    expect('x-updated-as-of' in headers).toBe(this.next === null);
    this.since = headers['x-updated-as-of'] ?? this.since;
  }

  /** Reads to the end. */
  async finish(): Promise<void> {
    do await this.readPage(5);
    while (this.next !== null);
  }

  /** The copy in the order of ids. */
  copied(): Item[] {
    return [...this.copy.values()].toSorted((a, b) => a._id.localeCompare(b._id));
  }
}
