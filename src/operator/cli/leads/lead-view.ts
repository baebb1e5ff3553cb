import type { ChangeLogDocument } from '../../../tenants/change-log/change-log.schema.js';
import { storedChanges } from '../../../tenants/change-log/field-changes.js';
import type { LeadDto } from '../../../leads/dto/lead.dto.js';
import type { ListedDelivery } from '../../../webhooks/deliveries/webhook-deliveries.service.js';
import type { Columns } from '../command-line/output.js';
import { deliveryView } from '../webhooks/delivery-view.js';

type ChangeEntry = ReturnType<typeof changeEntry>;
type DeliveryEntry = ReturnType<typeof deliveryEntry>;
type HistoryEntry = ChangeEntry | DeliveryEntry;

export const historyColumns: Columns<HistoryEntry> = {
  Time: ({ at }) => at,
  Lead: ({ leadId }) => leadId,
  Kind: ({ kind }) => kind,
  What: ({ what }) => what,
  Details: (entry) => (entry.kind === 'change' ? changesOf(entry) : deliveryOf(entry)),
  Request: (entry) => (entry.kind === 'change' ? entry.requestId : null),
};

/** The changes of leads and their webhook deliveries, oldest first. */
export function leadHistory(
  leads: readonly LeadDto[],
  changes: readonly ChangeLogDocument[],
  deliveries: readonly ListedDelivery[],
): HistoryEntry[] {
  const numbers = new Map(leads.map(({ _id, leadId }) => [_id, leadId]));
  const entries = [
    ...changes.map((change) => changeEntry(change, numbers)),
    ...deliveries.map((delivery) => deliveryEntry(delivery, numbers)),
  ];
  return entries.toSorted((a, b) => a.at.getTime() - b.at.getTime());
}

function changeEntry(change: ChangeLogDocument, numbers: Map<string, number>) {
  return {
    at: change.createdAt,
    kind: 'change' as const,
    leadId: numbers.get(change.entityId?.toHexString() ?? '') ?? 0,
    what: change.context,
    modifier: change.modifier,
    source: change.source,
    requestId: change.requestId ?? null,
    changes: storedChanges(change.changes),
  };
}

function deliveryEntry(delivery: ListedDelivery, numbers: Map<string, number>) {
  const { objectId, createdAt, ...view } = deliveryView(delivery);
  const leadId = numbers.get(objectId ?? '') ?? 0;
  return { at: createdAt, kind: 'delivery' as const, leadId, what: view.type, ...view };
}

function changesOf({ changes }: ChangeEntry): string {
  if (changes.length === 0) return 'nothing changed';
  return changes
    .map(({ field, from, to }) => `${field}: ${JSON.stringify(from)} -> ${JSON.stringify(to)}`)
    .join(', ');
}

function deliveryOf(entry: DeliveryEntry): string {
  const { endpointId, status, failureReason, attempts, lastStatusCode, lastError } = entry;
  const reason = failureReason === null ? '' : ` (${failureReason})`;
  const lastResult = lastStatusCode ?? lastError;
  const lastResultText = lastResult === null ? '' : `, last response ${lastResult}`;
  return `${status}${reason} at ${endpointId}, attempts: ${attempts}${lastResultText}`;
}
