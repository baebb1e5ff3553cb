import { LRUCache } from 'lru-cache';
import { Types } from 'mongoose';
import type { PartStore } from '../responses/kept-parts.js';

/** Loads documents by their ids, those that exist, each with its id. */
type Load<T> = (ids: readonly Types.ObjectId[]) => Promise<readonly (readonly [string, T])[]>;

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
  async find(ids: readonly unknown[]): Promise<ReadonlyMap<string, T>> {
    const store = this.shared();
    const wanted = new Map(ids.filter(isId).map((id) => [id.toHexString(), id]));
    const found = new Map<string, T>();
    const missing: Types.ObjectId[] = [];
    for (const [hex, id] of wanted) {
      const cached = this.cached(store, hex);
      if (cached === undefined) missing.push(id);
      else if (cached.document !== null) found.set(hex, cached.document);
    }
    if (missing.length === 0) return found;
    for (const [hex, document] of await this.load(missing)) found.set(hex, document);
    for (const id of missing) {
      const hex = id.toHexString();
      const cached = { document: found.get(hex) ?? null };
      if (store === null) this.own.set(hex, cached);
      else store.set(this.keyOf(hex), cached);
    }
    return found;
  }

  private cached(store: PartStore | null, hex: string): Cached<T> | undefined {
    if (store === null) return this.own.get(hex);
    return store.get(this.keyOf(hex)) as Cached<T> | undefined;
  }

  /** Made when it is needed: with its room for all entries it takes longer than a small response. */
  private get own(): LRUCache<string, Cached<T>> {
    this.ownStore ??= new LRUCache({ max: maxCached, ttl: cacheTtlMs });
    return this.ownStore;
  }

  private keyOf(hex: string): string {
    return `${this.kind} ${hex}`;
  }
}

function isId(value: unknown): value is Types.ObjectId {
  return value instanceof Types.ObjectId;
}
