import { DomainError } from '../core/errors/domain-error.js';
import { isDatabaseReference, asObject } from '../core/values/json.js';
import { leadErrors } from './lead-errors.js';
import type { LeadData, LeadDocument } from './lead.schema.js';

/** Requests send these fields flat; they are stored in `data` (rule LEAD-4). */
export const flatFields = ['name', 'email', 'phoneNumber', 'phoneNumber2', 'project'] as const;

/** Keys that the service itself reads (rule LEAD-4). */
export const knownDataKeys = [
  'name',
  'email',
  'project',
  'leadSource',
  'phoneNumber',
  'phoneNumber2',
] as const;

export type LeadPayload = {
  readonly recordSystemId?: string | undefined;
  readonly data?: LeadData | undefined;
  readonly additionalData?: LeadData | undefined;
} & { readonly [Field in (typeof flatFields)[number]]?: string | undefined };

export interface MergedLead {
  readonly data: LeadData;
  readonly additionalData: LeadData;
}

/** Keys of `data` override flat fields. */
export function mergeFlatFields(payload: LeadPayload): LeadData {
  const flat = flatFields
    .filter((field) => payload[field] !== undefined)
    .map((field) => [field, payload[field]]);
  return { ...(Object.fromEntries(flat) as LeadData), ...payload.data };
}

/** Each sent key replaces the stored one (rule LEAD-5). */
export function mergeLead(
  stored: Pick<LeadDocument, 'data' | 'additionalData'> | null,
  requested: Pick<LeadPayload, 'data' | 'additionalData'>,
): MergedLead {
  return {
    data: { ...asObject(stored?.data), ...requested.data },
    additionalData: { ...asObject(stored?.additionalData), ...requested.additionalData },
  };
}

/** @throws DomainError 400 if merged requests form what the database reads as a reference (rule LEAD-5) */
export function assertNoReference(merged: MergedLead): void {
  for (const field of ['data', 'additionalData'] as const) {
    if (isDatabaseReference(merged[field])) {
      throw new DomainError(leadErrors.databaseReference, { field });
    }
  }
}
