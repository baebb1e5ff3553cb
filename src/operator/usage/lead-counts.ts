import type { FastifyRequest } from 'fastify';
import { basePath } from '../../core/http/base-path.js';
import type { CompletedRequest } from '../../core/http/server/request-log.js';
import { fieldsOf } from '../../core/http/validation/field.js';
import { UpsertLeadDto } from '../../leads/dto/upsert-lead.dto.js';
import type { Counts } from './call-counts.js';

const routes = new Set([`/${basePath}/leads`, `/${basePath}/leads/batch`]);
const known = new Set(fieldsOf(UpsertLeadDto));

/** Counts an accepted request with leads, and whether half of their fields or more had no effect (rule OPS-37). */
export function leadCounts(
  { method, route, status, ignoredFields }: CompletedRequest,
  { body }: Pick<FastifyRequest, 'body'>,
): Counts {
  if (method !== 'POST' || status >= 400 || !routes.has(route)) return {};
  const isHalfUnderstood = ignoredFields !== undefined && isMostlyIgnored(body as LeadBody);
  return { leads: 1, ...(isHalfUnderstood && { halfUnderstood: 1 }) };
}

type LeadBody = Readonly<Record<string, unknown>> & { readonly leads?: readonly object[] };

/** The id of a lead says nothing of it. */
function isMostlyIgnored(body: LeadBody): boolean {
  const names = (body.leads ?? [body])
    .flatMap((lead) => Object.keys(lead ?? {}))
    .filter((name) => name !== 'recordSystemId');
  const ignored = names.filter((name) => !known.has(name));
  return ignored.length > 0 && 2 * ignored.length >= names.length;
}
