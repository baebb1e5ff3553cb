import { type Document, ObjectId } from 'mongodb';
import type { UnitDocument } from '../../catalogue/collections/unit.schema.js';
import type { ListPart } from '../../core/database/documents/ordered-steps.js';
import type { Position } from '../../core/database/documents/positions.js';
import type { TenantFilter } from '../../core/database/documents/tenant-filter.js';
import { computedOrder, sortOf, shownPath, shownEqual, type UnitOrder } from './unit-order.js';

type UnitFilter = TenantFilter<UnitDocument>;

/** Units as they are read. */
export type UnitBatches = AsyncGenerator<UnitDocument[], void>;

/** A part with an end. */
export interface BoundedPart extends ListPart {
  readonly limit: number;
}

/** Reads a part of what matches in an order by one field; the steps of an aggregation follow it. */
export type ReadByOneField = (
  filter: UnitFilter,
  order: UnitOrder,
  part: BoundedPart,
  steps: readonly Document[],
) => UnitBatches;

/** Units that are equal in the first field of an order, counted in a part of the list. */
interface Group {
  readonly value: unknown;
  readonly count: number;
  /** How many stand in the list up to its last one, or to the end of the part. */
  readonly end: number;
}

const [lowestId, highestId] = [new ObjectId('0'.repeat(24)), new ObjectId('f'.repeat(24))];

/**
 * Reads a part of a list in an order by several fields, though an index has the order of the first
 * alone. Between the groups that are equal in the first field the index has the order; a group that
 * lies whole in the part is sorted, which takes no more units than the part has; and one that its
 * beginning or end cuts is read in the order by the other fields. So it costs what is skipped and read,
 * and not what matches. All has to come from one snapshot.
 */
export class GroupedOrder {
  private readonly shown: Document[];

  constructor(
    private readonly order: UnitOrder,
    private readonly readByOneField: ReadByOneField,
  ) {
    const fields = computedOrder(order)?.fields;
    this.shown = fields === undefined ? [] : [{ $set: fields }];
  }

  /** The units of a part, which have the fields of the order as they are shown. */
  batches(filter: UnitFilter, part: BoundedPart): UnitBatches {
    const { after, skip = 0, limit } = part;
    if (after === undefined || skip === 0) return this.part(filter, this.order.sort, part);
    // How much of what is skipped lies in the group of the position is known only once that is read.
    return behindFirst(skip, this.part(filter, this.order.sort, { after, limit: skip + limit }));
  }

  private async *part(
    filter: UnitFilter,
    sort: readonly string[],
    { after, skip = 0, limit }: BoundedPart,
  ): UnitBatches {
    const [first, ...others] = sort;
    if (first === undefined || limit <= 0) return;
    if (others.length === 0) {
      yield* this.documents(filter, sort, { after, skip, limit });
      return;
    }
    const equalTo = (value: unknown) =>
      ({ $and: [filter, shownEqual(first, this.order.language, value)] }) as UnitFilter;
    if (after === undefined) {
      yield* this.groups(filter, sort, equalTo, { skip, limit });
      return;
    }
    const [value, ...behind] = after;
    let left = limit;
    for await (const units of this.part(equalTo(value), others, { after: behind, limit })) {
      left -= units.length;
      yield units;
    }
    yield* this.groups(filter, sort, equalTo, { after: behindGroup(first, value), limit: left });
  }

  /** A part that begins at its start or behind a group. */
  private async *groups(
    filter: UnitFilter,
    sort: readonly string[],
    equalTo: (value: unknown) => UnitFilter,
    { after, skip = 0, limit }: BoundedPart,
  ): UnitBatches {
    const [first = '', ...others] = sort;
    if (limit <= 0) return;
    const cut = await this.cutGroups(filter, first, { after, skip, limit });
    if (cut === null) return;
    const { head, tail } = cut;
    const skippedOfHead = skip - (head.end - head.count);
    if (head.end === tail.end) {
      yield* this.part(equalTo(head.value), others, { skip: skippedOfHead, limit });
      return;
    }
    const isHeadCut = skippedOfHead > 0;
    if (isHeadCut) {
      const cutOff = { skip: skippedOfHead, limit: head.end - skip };
      yield* this.part(equalTo(head.value), others, cutOff);
    }
    const isTailCut = tail.end === skip + limit;
    const wholeUntil = isTailCut ? tail.end - tail.count : tail.end;
    const wholeFrom = isHeadCut ? head.end : skip;
    if (wholeUntil > wholeFrom) {
      const whole = { after, skip: wholeFrom, limit: wholeUntil - wholeFrom };
      const { language } = this.order;
      yield* this.documents(filter, [first], whole, [{ $sort: sortOf({ sort, language }) }]);
    }
    if (isTailCut) yield* this.part(equalTo(tail.value), others, { limit: tail.count });
  }

  /** The groups in which a part begins and ends; null where it has nothing. */
  private async cutGroups(
    filter: UnitFilter,
    first: string,
    { after, skip = 0, limit }: BoundedPart,
  ): Promise<{ head: Group; tail: Group } | null> {
    const order = { sort: [first], language: this.order.language };
    const _id = `$${shownPath(first, order.language)}`;
    const direction = directionOf(first);
    const end = { $sum: '$count', window: { documents: ['unbounded', 'current'] } };
    const group = { value: '$_id', count: '$count', end: '$end' };
    const steps = [
      { $group: { _id, count: { $sum: 1 } } },
      { $setWindowFields: { sortBy: { _id: direction }, output: { end } } },
      { $match: { end: { $gt: skip } } },
      { $sort: { end: 1 } },
      { $group: { _id: null, head: { $first: group }, tail: { $last: group } } },
    ];
    const counted = { after, limit: skip + limit };
    for await (const [cut] of this.readByOneField(filter, order, counted, steps)) {
      return (cut as { head: Group; tail: Group } | undefined) ?? null;
    }
    return null;
  }

  private documents(
    filter: UnitFilter,
    sort: readonly string[],
    part: BoundedPart,
    steps: readonly Document[] = [],
  ): UnitBatches {
    const order = { sort, language: this.order.language };
    return this.readByOneField(filter, order, part, [...this.shown, ...steps]);
  }
}

/** The position behind all units that have a value. */
function behindGroup(item: string, value: unknown): Position {
  return [value, directionOf(item) === 1 ? highestId : lowestId];
}

function directionOf(item: string): 1 | -1 {
  return item.startsWith('-') ? -1 : 1;
}

async function* behindFirst(count: number, batches: UnitBatches): UnitBatches {
  let left = count;
  for await (const batch of batches) {
    if (left < batch.length) yield batch.slice(left);
    left = Math.max(0, left - batch.length);
  }
}
