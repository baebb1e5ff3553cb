import type { FastifyRequest } from 'fastify';
import { type Operation, operations } from '../../core/http/operations.js';
import type { CompletedRequest } from '../../core/http/server/request-log.js';
import { routeOptionsOf } from '../../core/http/server/route-options.js';
import { type Counts, sumOf } from './call-counts.js';

/** How often a key used each operation. */
export type UsedOperations = Partial<Record<Operation, number>>;

const prefix = 'used_';

/** Counts a call for the operation of its endpoint; one that the key may not make is none. */
export function operationCounts({ status }: CompletedRequest, request: FastifyRequest): Counts {
  const { permission } = routeOptionsOf(request);
  if (permission === undefined || status === 403) return {};
  return { [fieldOf(permission)]: 1 };
}

/** The operations among the counted fields. */
export function operationsIn(counts: Readonly<Counts>): Counts {
  return Object.fromEntries(Object.entries(counts).filter(([field]) => field.startsWith(prefix)));
}

/** The sums of counted fields, by operation. */
export function usedOperations(all: Iterable<Readonly<Counts>>): UsedOperations {
  const sum = sumOf(all);
  return Object.fromEntries(
    operations
      .map((operation) => [operation, sum[fieldOf(operation)] ?? 0] as const)
      .filter(([, count]) => count > 0),
  );
}

/** Without the dot, which a field's name must not have. */
function fieldOf(operation: Operation): string {
  return prefix + operation.replace('.', '_');
}
