import { LRUCache } from 'lru-cache';
import { Types } from 'mongoose';

/** Loads documents by their ids, those that exist. */
type Load<T> = (ids: readonly Types.ObjectId[]) => Promise<readonly T[]>;

const maxCached = 1_000;
/** How old the parts of a response may be (rule DATA-6). */
const cacheTtlMs = 1_000;

/** What the units of one response refer to, loaded once for many of them. */
export class ReferenceCache<T extends { readonly _id: string }> {
  private readonly cache = new LRUCache<string, { readonly document: T | null }>({
    max: maxCached,
    ttl: cacheTtlMs,
  });

  constructor(private readonly load: Load<T>) {}

  /** The documents of ids, by id; those that do not exist are left out. */
  async find(ids: readonly unknown[]): Promise<ReadonlyMap<string, T>> {
    const wanted = new Map(ids.filter(isId).map((id) => [id.toHexString(), id]));
    const found = new Map<string, T>();
    const missing: Types.ObjectId[] = [];
    for (const [hex, id] of wanted) {
      const cached = this.cache.get(hex);
      if (cached === undefined) missing.push(id);
      else if (cached.document !== null) found.set(hex, cached.document);
    }
    if (missing.length === 0) return found;
    for (const document of await this.load(missing)) found.set(document._id, document);
    for (const id of missing) {
      const hex = id.toHexString();
      this.cache.set(hex, { document: found.get(hex) ?? null });
    }
    return found;
  }
}

function isId(value: unknown): value is Types.ObjectId {
  return value instanceof Types.ObjectId;
}
