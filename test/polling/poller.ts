import { expect } from '@jest/globals';
import { type Changes, changesOf, type List } from '../../clients/typescript/src/index.js';

interface Item {
  readonly _id: string;
  readonly isDeleted: boolean;
}

/** Keeps a copy of a list, page by page, as the guide describes and the client does. */
export class Poller<Entry extends Item> {
  private readonly copy = new Map<string, Entry>();
  private mark: string | undefined;
  private limit = 0;
  private reading: AsyncGenerator<Changes<Entry>, void, void> | undefined;

  constructor(private readonly list: List<Entry>) {}

  /** Reads the next page of the current read, or the first page of a new one. */
  async readPage(limit: number): Promise<void> {
    this.limit = limit;
    this.reading ??= changesOf<Entry>((request) => this.checkedPage(request), this.mark);
    const { value: changes } = await this.reading.next();
    if (changes === undefined) throw new Error('The reading ended without a mark');
    for (const item of changes.current) this.copy.set(item._id, item);
    for (const id of changes.removedIds) this.copy.delete(id);
    if (changes.mark === null) return;
    this.mark = changes.mark;
    expect(await this.reading.next()).toEqual({ done: true, value: undefined });
    this.reading = undefined;
  }

  /** Reads all remaining pages. */
  async finish(): Promise<void> {
    do await this.readPage(5);
    while (this.reading !== undefined);
  }

  /** Returns the copy ordered by id. */
  sortedCopy(): Entry[] {
    return [...this.copy.values()].toSorted((a, b) => a._id.localeCompare(b._id));
  }

  private async checkedPage({ query }: Parameters<List<Entry>>[0]) {
    const page = await this.list({ query: { ...query, limit: this.limit } });
    const { next } = page.data.pagination;
    expect(page.headers.get('x-next-cursor')).toBe(next);
    expect(page.headers.has('x-updated-as-of')).toBe(next === null);
    return page;
  }
}
