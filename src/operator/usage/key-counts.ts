import type { FastifyRequest } from 'fastify';
import { basePath, routeOptionsOf } from '../../core/http/requests/route-options.js';
import { type Operation, operations } from '../../tenants/keys/permissions.js';
import type { CompletedRequest } from '../../core/http/server/request-log.js';
import { fieldNamesOf } from '../../core/validation/dto-reader.js';
import { SingleLeadDto } from '../../leads/dto/upsert-lead.dto.js';
import { type Counts, sumOf } from './call-counts.js';

export type UsedOperations = Partial<Record<Operation, number>>;

type LeadBody = Readonly<Record<string, unknown>> & { readonly leads?: readonly object[] };

const prefix = 'used_';
const leadRoutes = new Set([`/${basePath}/leads`, `/${basePath}/leads/batch`]);
const leadFields = fieldNamesOf(SingleLeadDto);

/** Counts operations, and accepted leads with at least half of their fields ignored (rule OPS-37). */
export function keyCounts(completed: CompletedRequest, request: FastifyRequest): Counts {
  const { method, route, status, ignoredFields } = completed;
  const { permission: name } = routeOptionsOf(request);
  const permission = operations.find((operation) => operation === name);
  const isUsed = permission !== undefined && status !== 403;
  const isLead = method === 'POST' && status < 400 && leadRoutes.has(route);
  const hasMostlyIgnored =
    isLead && ignoredFields !== undefined && isMostlyIgnored(request.body as LeadBody);
  return {
    ...(isUsed && { [operationField(permission)]: 1 }),
    ...(isLead && { leads: 1 }),
    ...(hasMostlyIgnored && { mostlyIgnored: 1 }),
  };
}

export function operationIncrements(counts: Readonly<Counts>): Counts {
  const used = Object.entries(counts).filter(([field]) => field.startsWith(prefix));
  return Object.fromEntries(used.map(([field, count]) => [`used.${field}`, count]));
}

export function usedOperations(all: Iterable<Readonly<Counts>>): UsedOperations {
  const sum = sumOf(all);
  return Object.fromEntries(
    operations
      .map((operation) => [operation, sum[operationField(operation)] ?? 0] as const)
      .filter(([, count]) => count > 0),
  );
}

/** Removes the dot, which stored field names must not have. */
function operationField(operation: Operation): string {
  return prefix + operation.replace('.', '_');
}

function isMostlyIgnored(body: LeadBody): boolean {
  // recordSystemId is ignored: it is nearly always sent and known, so it would hide unknown fields.
  const names = (body.leads ?? [body])
    .flatMap((lead) => Object.keys(lead ?? {}))
    .filter((name) => name !== 'recordSystemId');
  const ignored = names.filter((name) => !leadFields.has(name));
  return ignored.length > 0 && 2 * ignored.length >= names.length;
}
