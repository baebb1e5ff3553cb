import type { FastifyRequest } from 'fastify';
import { basePath } from '../../core/http/requests/route-options.js';
import type { CompletedRequest } from '../../core/http/server/request-log.js';
import { fieldNamesOf } from '../../core/validation/dto-reader.js';
import { SingleLeadDto } from '../../leads/dto/upsert-lead.dto.js';
import type { Counts } from './call-counts.js';

type LeadBody = Readonly<Record<string, unknown>> & { readonly leads?: unknown };

const batchRoute = `/${basePath}/leads/batch`;
const leadRoutes = new Set([`/${basePath}/leads`, batchRoute]);
const leadFields = fieldNamesOf(SingleLeadDto);

/** Counts accepted lead requests, and those of which at least half of the fields were ignored (rule OPS-37). */
export function leadCounts(completed: CompletedRequest, { body }: FastifyRequest): Counts {
  const { method, route, status, ignoredFields } = completed;
  if (method !== 'POST' || status >= 400 || !leadRoutes.has(route)) return {};
  const isMostly = ignoredFields !== undefined && isMostlyIgnored(leadsIn(route, body as LeadBody));
  return { leads: 1, ...(isMostly && { mostlyIgnored: 1 }) };
}

/** A single lead may have an unknown field `leads` of any type. */
function leadsIn(route: string, body: LeadBody): readonly object[] {
  const { leads } = body;
  return route === batchRoute && Array.isArray(leads) ? (leads as readonly object[]) : [body];
}

function isMostlyIgnored(leads: readonly object[]): boolean {
  // recordSystemId is ignored: it is nearly always sent and known, so it would hide unknown fields.
  const names = leads
    .flatMap((lead) => Object.keys(lead ?? {}))
    .filter((name) => name !== 'recordSystemId');
  const ignored = names.filter((name) => !leadFields.has(name));
  return ignored.length > 0 && 2 * ignored.length >= names.length;
}
