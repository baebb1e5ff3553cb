import type { LeadData, LeadDocument } from './lead.schema.js';

/** The flat fields of a lead request, all of which are kept in `data` ("Leads" 4). */
export const flatFields = ['name', 'email', 'phoneNumber', 'phoneNumber2', 'project'] as const;

/** A lead request: flat fields and `data`, mixed as the sender likes (section 2.1). */
export type LeadPayload = {
  readonly recordSystemId?: string | undefined;
  readonly data?: LeadData | undefined;
  readonly additionalData?: LeadData | undefined;
} & { readonly [Field in (typeof flatFields)[number]]?: string | undefined };

/** The part of a stored lead that requests merge into. */
export type MergedLead = Pick<LeadDocument, 'data' | 'additionalData'>;

/** What a request sends for `data`: its flat fields, overridden by its `data`. */
export function sentData(payload: LeadPayload): LeadData {
  const flat = flatFields
    .filter((field) => payload[field] !== undefined)
    .map((field) => [field, payload[field]]);
  return { ...(Object.fromEntries(flat) as LeadData), ...payload.data };
}

/**
 * A lead after a request: each top-level key that was sent replaces that key, the others stay
 * (section 4.1 rule 3, "Leads" 5).
 */
export function mergeLead(stored: Partial<MergedLead> | null, payload: LeadPayload): MergedLead {
  return {
    data: { ...stored?.data, ...sentData(payload) },
    additionalData: { ...stored?.additionalData, ...payload.additionalData },
  };
}
