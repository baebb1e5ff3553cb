import { LRUCache } from 'lru-cache';
import { Types } from 'mongoose';

/** Loads records by their ids, those that exist. */
type Load<T> = (ids: readonly Types.ObjectId[]) => Promise<readonly T[]>;

const maxCached = 1_000;
/** How old the parts of a response may be (rule DATA-6). */
const cacheTtlMs = 1_000;

/** What the units of one answer refer to, loaded once for many of them. */
export class ReferenceCache<T extends { readonly _id: string }> {
  private readonly known = new LRUCache<string, { readonly record: T | null }>({
    max: maxCached,
    ttl: cacheTtlMs,
  });

  constructor(private readonly load: Load<T>) {}

  /** The records of ids, by id; those that do not exist are left out. */
  async find(ids: readonly unknown[]): Promise<ReadonlyMap<string, T>> {
    const wanted = new Map(ids.filter(isId).map((id) => [id.toHexString(), id]));
    const found = new Map<string, T>();
    const unknown: Types.ObjectId[] = [];
    for (const [hex, id] of wanted) {
      const known = this.known.get(hex);
      if (known === undefined) unknown.push(id);
      else if (known.record !== null) found.set(hex, known.record);
    }
    if (unknown.length === 0) return found;
    for (const record of await this.load(unknown)) found.set(record._id, record);
    for (const id of unknown) {
      const hex = id.toHexString();
      this.known.set(hex, { record: found.get(hex) ?? null });
    }
    return found;
  }
}

function isId(value: unknown): value is Types.ObjectId {
  return value instanceof Types.ObjectId;
}
