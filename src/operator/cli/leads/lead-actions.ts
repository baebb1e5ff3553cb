import { Types } from 'mongoose';
import type { LeadDto } from '../../../leads/dto/lead.dto.js';
import { LeadLookupService } from '../../../leads/reading/lead-lookup.service.js';
import type { ChangeLogDocument } from '../../../tenants/change-log/change-log.schema.js';
import { ChangeLogRepository } from '../../../tenants/change-log/change-log.repository.js';
import { storedChanges } from '../../../tenants/change-log/field-changes.js';
import {
  type ListedDelivery,
  WebhookDeliveriesService,
} from '../../../webhooks/deliveries/webhook-deliveries.service.js';
import { field } from '../../views/view-field.js';
import { leadFields } from '../../views/lead.js';
import type { CommandContext } from '../command-line/context.js';
import type { CommandActions } from '../command-line/command.js';
import { item, list, type View } from '../command-line/result.js';
import { deliveryJson } from '../webhooks/webhook-actions.js';
import type { leadCommands } from './lead-commands.js';
import { eraseLeads, leadNotFound, logDisclosure } from './lead-erasure.js';
import { importLeads } from './lead-import.js';

type HistoryEntry = ReturnType<typeof changeEntry> | ReturnType<typeof deliveryEntry>;

const historyFields: View<HistoryEntry> = [
  field('time', 'Time', 'at'),
  field('number', 'Lead', 'leadId'),
  'kind',
  'what',
  field('text', 'Details', (entry) =>
    entry.kind === 'change' ? changesText(entry.changes) : deliveryText(entry),
  ),
];

/** Real leads have far fewer entries. */
const maxHistoryEntries = 10_000;

export const actions: CommandActions<typeof leadCommands> = {
  show: async (context, lead, { org }) => {
    const { _id } = await context.organization(org);
    const [first] = await leadsOf(context, _id, lead);
    await logDisclosure(context, _id, [first._id]);
    return item(first, leadFields);
  },

  history: async (context, lead, { org }) => {
    const { _id: organizationId } = await context.organization(org);
    const leads = await leadsOf(context, organizationId, lead);
    const objectIds = leads.map(({ _id }) => _id);
    await logDisclosure(context, organizationId, objectIds);
    const changes = await context.get(ChangeLogRepository).findByLeads(
      organizationId,
      objectIds.map((id) => new Types.ObjectId(id)),
    );
    const deliveries = await context
      .get(WebhookDeliveriesService)
      .listPage(organizationId, { objectIds }, { limit: maxHistoryEntries });
    const numbers = new Map(leads.map(({ _id, leadId }) => [_id, leadId]));
    const entries = [
      ...changes.map((change) => changeEntry(change, numbers)),
      ...deliveries.items.map((delivery) => deliveryEntry(delivery, numbers)),
    ];
    const history = entries.toSorted((a, b) => a.at.getTime() - b.at.getTime());
    return list(history, historyFields);
  },

  erase: eraseLeads,
  import: importLeads,
};

async function leadsOf(
  context: CommandContext,
  organizationId: Types.ObjectId,
  lead: string,
): Promise<[LeadDto, ...LeadDto[]]> {
  const [first, ...others] = await context.get(LeadLookupService).find(organizationId, lead);
  if (first === undefined) throw new Error(leadNotFound(lead));
  return [first, ...others];
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
  const { objectId, createdAt, ...view } = deliveryJson(delivery);
  const leadId = numbers.get(objectId ?? '') ?? 0;
  return { at: createdAt, kind: 'delivery' as const, leadId, what: view.type, ...view };
}

function changesText(changes: ReturnType<typeof storedChanges>): string {
  if (changes.length === 0) return 'nothing changed';
  return changes
    .map(({ field: name, from, to }) => `${name}: ${JSON.stringify(from)} -> ${JSON.stringify(to)}`)
    .join(', ');
}

function deliveryText(entry: ReturnType<typeof deliveryEntry>): string {
  const { endpointId, status, failureReason, attempts, lastStatusCode, lastError } = entry;
  const reason = failureReason === null ? '' : ` (${failureReason})`;
  const lastResult = lastStatusCode ?? lastError;
  const lastResultText = lastResult === null ? '' : `, last response ${lastResult}`;
  return `${status}${reason} at ${endpointId}, attempts: ${attempts}${lastResultText}`;
}
