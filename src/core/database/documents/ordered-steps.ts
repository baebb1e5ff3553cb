import type { Document } from 'mongodb';
import { behind, type Order, type Position } from './positions.js';

/** Which part of a list is read: all behind a position, and of these how many. */
export interface ListPart {
  readonly after?: Position | undefined;
  readonly skip?: number;
  readonly limit?: number;
}

/** Documents that a stored order, which an index can serve, brings into the order of the list. */
export interface Run {
  readonly filter: Document;
  readonly sort: Order;
  /** The position in the run's own order of one in the list's; null where nothing of the run follows it, undefined where all of it does. */
  readonly after: (position: Position) => Position | null | undefined;
}

/** An order by what is shown where that is not what is stored. */
export interface ComputedOrder {
  /** Expressions of the fields that the order names and no document has. */
  readonly fields: Readonly<Record<string, object>>;
  /** Runs that together are the whole list; without any it is sorted as a whole. */
  readonly runs: readonly Run[];
  /** Whether the runs follow each other; otherwise they have to be merged. */
  readonly isSequence: boolean;
}

/** The order, which may name computed fields, and the part of documents that are read in batches. */
export interface BatchOptions extends ListPart {
  readonly sort: Order;
  readonly computed?: ComputedOrder | null;
  /** The index that has the order, where that is known: the server would try many. */
  readonly hint?: string | undefined;
  /** Steps that the part then goes through. */
  readonly steps?: readonly Document[];
}

/** Merging holds so many documents of each run in the server's memory at the most. */
const mostMerged = 2_000;

/**
 * The steps of an aggregation that gives a part of a list in its order. What it costs grows with what
 * is skipped and read, as long as an index has the order; all that matches is sorted only where none has.
 */
export function orderedSteps(
  filter: Document,
  { sort, after, skip = 0, limit, computed = null }: BatchOptions,
  collection: string,
): Document[] {
  const end = [
    ...(skip === 0 ? [] : [{ $skip: skip }]),
    ...(limit === undefined ? [] : [{ $limit: limit }]),
  ];
  if (computed === null) return [...inOrder([filter], sort, after, ofTenant(sort)), ...end];
  const most = limit === undefined ? undefined : skip + limit;
  const [first, ...others] = runsBehind(computed, after).map(({ run, position }) => [
    ...inOrder([filter, run.filter], run.sort, position),
    ...(most === undefined ? [] : [{ $limit: most }]),
  ]);
  const canMerge = most !== undefined && most <= mostMerged;
  if (first === undefined || !(computed.isSequence || canMerge)) {
    const behindIt = after === undefined ? [] : [{ $match: behind(after, sort) }];
    return [{ $match: filter }, { $set: computed.fields }, ...behindIt, { $sort: sort }, ...end];
  }
  const steps = [
    ...first,
    ...others.map((pipeline) => ({ $unionWith: { coll: collection, pipeline } })),
  ];
  return computed.isSequence
    ? [...steps, ...end, { $set: computed.fields }]
    : [...steps, { $set: computed.fields }, { $sort: sort }, ...end];
}

/** The runs of which something stands behind a position of the list. */
function runsBehind({ runs }: ComputedOrder, after: Position | undefined) {
  return runs.flatMap((run) => {
    const position = after === undefined ? undefined : run.after(after);
    return position === null ? [] : [{ run, position }];
  });
}

function inOrder(
  filters: Document[],
  sort: Order,
  after: Position | undefined,
  sortedBy = sort,
): Document[] {
  const conditions = after === undefined ? filters : [...filters, behind(after, sort)];
  const [only] = conditions;
  return [{ $match: conditions.length === 1 ? only : { $and: conditions } }, { $sort: sortedBy }];
}

/**
 * An order that no index which all tenants share can serve, as that of `_id` could. Others stay as they
 * are: only then does the server merge what an index has for each value of a condition before the order.
 */
function ofTenant(sort: Order): Order {
  return Object.keys(sort)[0] === '_id' ? { organizationId: 1, ...sort } : sort;
}
