import type { FieldChange } from '../../change-log/field-changes.js';
import type { ClientLink } from '../../clients/client-link.js';
import type { Language } from '../../localization/language.js';
import type { PendingEvent } from '../../webhooks/outbox/pending-event.js';
import type { LeadPayload } from '../lead-merge.js';
import type { LeadDocument } from '../lead.schema.js';

/** One `POST /leads`. */
export interface LeadRequest {
  readonly language: Language;
  readonly payload: LeadPayload;
}

/** What one request does. */
export interface LeadDecision {
  readonly operation: 'create' | 'update';
  /** The lead as the request leaves it. */
  readonly lead: LeadDocument;
  readonly changes: readonly FieldChange[];
  readonly client: ClientLink;
  readonly events: readonly PendingEvent[];
  /** Contention keys of what nobody had before, as far as is known: two may not get it at once. */
  readonly claims: readonly string[];
  /** About how much is stored. */
  readonly bytes: number;
}
