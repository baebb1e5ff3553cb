import { DomainError } from '../core/http/errors/domain-error.js';
import { isDatabaseReference } from '../core/values/plain-object.js';
import { leadErrors } from './lead-errors.js';
import type { LeadData, LeadDocument } from './lead.schema.js';

/** The flat fields of a lead request, all of which are kept in `data` (rule LEAD-4). */
export const flatFields = ['name', 'email', 'phoneNumber', 'phoneNumber2', 'project'] as const;

/** The keys of `data` that the service reads; any other may be the sender's own (rule LEAD-4). */
export const knownDataKeys = [
  'name',
  'email',
  'project',
  'leadSource',
  'phoneNumber',
  'phoneNumber2',
] as const;

/** A lead request: flat fields and `data`, mixed as the sender likes (rule LEAD-4). */
export type LeadPayload = {
  readonly recordSystemId?: string | undefined;
  readonly data?: LeadData | undefined;
  readonly additionalData?: LeadData | undefined;
} & { readonly [Field in (typeof flatFields)[number]]?: string | undefined };

/** The part of a lead that requests merge into. */
export interface MergedLead {
  readonly data: LeadData;
  readonly additionalData: LeadData;
}

/** What a request says of `data`: its flat fields, overridden by its `data`. */
export function requestData(payload: LeadPayload): LeadData {
  const flat = flatFields
    .filter((field) => payload[field] !== undefined)
    .map((field) => [field, payload[field]]);
  return { ...(Object.fromEntries(flat) as LeadData), ...payload.data };
}

/** A lead after a request: each key of the request replaces that key (rule LEAD-5). */
export function mergeLead(
  stored: Pick<LeadDocument, 'data' | 'additionalData'> | null,
  requested: Pick<LeadPayload, 'data' | 'additionalData'>,
): MergedLead {
  return {
    data: { ...stored?.data, ...requested.data },
    additionalData: { ...stored?.additionalData, ...requested.additionalData },
  };
}

/** @throws DomainError 400 for a lead that several requests together made unstorable (rule LEAD-5) */
export function assertNoReference(merged: MergedLead): void {
  for (const field of ['data', 'additionalData'] as const) {
    if (isDatabaseReference(merged[field])) {
      throw new DomainError(leadErrors.databaseReference, { field });
    }
  }
}
