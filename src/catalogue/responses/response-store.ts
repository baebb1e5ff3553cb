import { LRUCache } from 'lru-cache';
import type { KeptResponse } from './kept-response.js';

/** What a response takes beside its body and its key. */
const overheadBytes = 2_048;

/** One response may take such a part of all. */
const largestPart = 1 / 8;

/** Finished responses by what decides about them, the least recently used going first. */
export class ResponseStore {
  private readonly responses: LRUCache<string, KeptResponse>;
  private evictions = 0;

  /** @param maxBytes of all of them together */
  constructor(maxBytes: number) {
    this.responses = new LRUCache({
      maxSize: maxBytes,
      maxEntrySize: Math.max(1, Math.floor(maxBytes * largestPart)),
      sizeCalculation: ({ body }, key) => 2 * key.length + (body?.length ?? 0) + overheadBytes,
      dispose: (_response, _key, reason) => {
        if (reason === 'evict') this.evictions += 1;
      },
    });
  }

  get(key: string): KeptResponse | undefined {
    return this.responses.get(key);
  }

  /** Keeps a response, unless it is too large. */
  set(key: string, response: KeptResponse): void {
    this.responses.set(key, response);
  }

  /** How many there are, their bytes, and how many had to go for others. */
  stats(): { readonly entries: number; readonly bytes: number; readonly evictions: number } {
    const { size: entries, calculatedSize: bytes } = this.responses;
    return { entries, bytes, evictions: this.evictions };
  }
}
