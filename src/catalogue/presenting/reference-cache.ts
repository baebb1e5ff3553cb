import { LRUCache } from 'lru-cache';
import { ObjectId } from 'mongodb';
import type { PartStore } from '../responses/kept-parts.js';

/** Loads documents by their ids, those that exist, each with its id in hexadecimal. */
type Load<T> = (ids: readonly ObjectId[]) => Promise<readonly (readonly [string, T])[]>;

interface Cached<T> {
  readonly document: T | null;
}

const maxCached = 1_000;
/** How old the parts of a response may be (rule DATA-6). */
const cacheTtlMs = 1_000;

/** What the units of a response refer to, of one kind; loaded once for many units, and responses. */
export class ReferenceCache<T> {
  private ownStore: LRUCache<string, Cached<T>> | undefined;

  /**
   * @param kind what the documents are, and how they are shown
   * @param shared gives where those of all responses are kept; null where they cannot be
   */
  constructor(
    private readonly kind: string,
    private readonly shared: () => PartStore | null,
    private readonly load: Load<T>,
  ) {}

  /** The documents of ids, by id; those that do not exist are left out. */
  async find(ids: readonly string[]): Promise<ReadonlyMap<string, T>> {
    const store = this.shared();
    const found = new Map<string, T>();
    const missing: string[] = [];
    for (const id of new Set(ids)) {
      if (id === '') continue;
      const cached = this.cached(store, id);
      if (cached === undefined) missing.push(id);
      else if (cached.document !== null) found.set(id, cached.document);
    }
    if (missing.length === 0) return found;
    const start = performance.now();
    const loaded = await this.load(missing.map((id) => new ObjectId(id)));
    for (const [id, document] of loaded) found.set(id, document);
    for (const id of missing) {
      const cached = { document: found.get(id) ?? null };
      if (store === null) this.own.set(id, cached, { start });
      else store.set(this.keyOf(id), cached);
    }
    return found;
  }

  private cached(store: PartStore | null, id: string): Cached<T> | undefined {
    if (store === null) return this.own.get(id);
    return store.get(this.keyOf(id)) as Cached<T> | undefined;
  }

  /** Made when it is needed: with its room for all entries it takes longer than a small response. */
  private get own(): LRUCache<string, Cached<T>> {
    this.ownStore ??= new LRUCache({ max: maxCached, ttl: cacheTtlMs });
    return this.ownStore;
  }

  private keyOf(id: string): string {
    return `${this.kind} ${id}`;
  }
}
