import { LRUCache } from 'lru-cache';
import type { KeptResponse } from './kept-response.js';

/** What a response takes beside its body and its key. */
const overheadBytes = 2_048;

/** One response may take such a part of all. */
const largestPart = 1 / 8;

/** Keys that were asked for may take such a part of all. */
const askedPart = 1 / 16;
const askedOverheadBytes = 128;

/**
 * Finished responses by what decides about them, the least recently used going first. Only what is
 * asked for more than once: a client that walks through all pages once would drive out what is repeated.
 */
export class ResponseStore {
  private readonly responses: LRUCache<string, KeptResponse>;
  /** How often each key was asked for while nothing was there to be repeated. */
  private readonly asked: LRUCache<string, number>;

  /** @param maxBytes of all that it holds */
  constructor(maxBytes: number, onEvicted: () => void) {
    const askedBytes = Math.floor(maxBytes * askedPart);
    this.responses = new LRUCache({
      maxSize: maxBytes - askedBytes,
      maxEntrySize: Math.max(1, Math.floor(maxBytes * largestPart)),
      sizeCalculation: ({ body }, key) => 2 * key.length + (body?.length ?? 0) + overheadBytes,
      dispose: (_response, _key, reason) => {
        if (reason === 'evict') onEvicted();
      },
    });
    this.asked = new LRUCache({
      maxSize: Math.max(1, askedBytes),
      sizeCalculation: (_count, key) => 2 * key.length + askedOverheadBytes,
    });
  }

  /** Remembers that somebody asks for what is not there. */
  noteRequest(key: string): void {
    this.asked.set(key, (this.asked.get(key) ?? 0) + 1);
  }

  /** Whether it was asked for more than once, lately. */
  isRepeated(key: string): boolean {
    return (this.asked.get(key) ?? 0) > 1;
  }

  get(key: string): KeptResponse | undefined {
    return this.responses.get(key);
  }

  /** Keeps a response, unless it is too large. */
  set(key: string, response: KeptResponse): void {
    this.responses.set(key, response);
  }

  /** How many responses there are. */
  get size(): number {
    return this.responses.size;
  }

  /** Of all that it holds. */
  get bytes(): number {
    return this.responses.calculatedSize + this.asked.calculatedSize;
  }
}
