import { type Document, MinKey, ObjectId } from 'mongodb';

/** The order of documents: fields, or paths below them, each ascending or descending; `_id` ends it. */
export type Order = Readonly<Record<string, 1 | -1>>;

/** Where a document stands in an order: its values of the order's fields. */
export type Position = readonly unknown[];

/** The position of a document as it was read, computed fields included. */
export function positionOf(document: object, order: Order): Position {
  return Object.keys(order).map((path) => {
    const steps = path.split('.');
    return steps.reduce<unknown>((value, step) => (value as Document | null)?.[step], document);
  });
}

/** The condition on documents that stand behind a position. */
export function behind(position: Position, order: Order): Document {
  const keys = Object.entries(order).map(([path, direction], index) => ({
    path,
    value: position[index] ?? null,
    operator: direction === 1 ? '$gt' : '$lt',
  }));
  return {
    $or: keys.map(({ path, value, operator }, index) => ({
      $and: [
        ...keys.slice(0, index).map((key) => compared(key.path, '$eq', key.value)),
        compared(path, operator, value),
      ],
    })),
  };
}

function compared(path: string, operator: string, value: unknown): Document {
  // What lacks counts as null, and nothing stands before that.
  if (operator === '$eq') return { [path]: value };
  if (operator === '$lt' && value === null) return { [path]: { $lt: new MinKey() } };
  // Times and ids are always there. Others may be of any type: an expression compares those as the sort
  // does, with an index, too; the operator of a filter would pass over them.
  if (value instanceof Date || value instanceof ObjectId) return { [path]: { [operator]: value } };
  return { $expr: { [operator]: [`$${path}`, { $literal: value }] } };
}
