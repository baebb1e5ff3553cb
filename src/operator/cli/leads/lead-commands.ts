import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import type { Types } from 'mongoose';
import type { LeadDto } from '../../../leads/dto/lead.dto.js';
import { withApplication } from '../command-line/application.js';
import { addCommand, addPrintingCommand, exampleId } from '../command-line/command-texts.js';
import { plainColumns } from '../../views/field.js';
import { leadFields } from '../../views/lead.js';
import { addErase } from './lead-erase-command.js';
import { addImport } from './lead-import-command.js';
import { historyColumns, leadHistory } from './lead-view.js';
import { logged } from '../command-line/logged.js';
import { externalId, name } from '../command-line/option-values.js';
import { organizationOf } from '../organizations/organization-view.js';
import { type OutputOptions, printList, printItem } from '../command-line/output.js';
import { deliveriesOf } from '../webhooks/webhook-view.js';

interface LeadOptions extends OutputOptions {
  readonly org: string;
}

const reference = 'external id (recordSystemId) of the lead, or its own id or number';
/** More than a lead's life brings; a list has to end somewhere. */
const maxHistoryEntries = 10_000;

export function addLeadCommands(program: Command): void {
  const group = addCommand(program, {
    name: 'lead',
    description: 'look up a lead and what happened to it, erase it, import many',
    example: `lead history form-7f3a --org ${exampleId}`,
  });
  addShow(group);
  addHistory(group);
  addErase(group);
  addImport(group);
}

function addShow(group: Command): void {
  addPrintingCommand(group, {
    name: 'show',
    description: 'show a lead, deleted or not',
    example: `lead show form-7f3a --org ${exampleId}`,
  })
    .argument('<lead>', reference, externalId)
    .requiredOption('--org <id>', 'id or name of the organization', name)
    .action((lead: string, options: LeadOptions) =>
      withApplication(async (application) => {
        const { _id } = await organizationOf(application, options.org);
        const [first] = await leadsOf(application, _id, lead);
        await logShown(application, _id, [first]);
        printItem(first, plainColumns(leadFields), options);
      }),
    );
}

function addHistory(group: Command): void {
  addPrintingCommand(group, {
    name: 'history',
    description: 'show the changes of a lead and their webhook deliveries, oldest first',
    example: `lead history form-7f3a --org ${exampleId}`,
  })
    .argument('<lead>', reference, externalId)
    .requiredOption('--org <id>', 'id or name of the organization', name)
    .action((lead: string, options: LeadOptions) =>
      withApplication(async (application) => {
        const { Types } = await import('mongoose');
        const { ChangeLogRepository } =
          await import('../../../tenants/change-log/change-log.repository.js');
        const { _id: organizationId } = await organizationOf(application, options.org);
        const leads = await leadsOf(application, organizationId, lead);
        await logShown(application, organizationId, leads);
        const ids = leads.map(({ _id }) => new Types.ObjectId(_id));
        const changes = await application.get(ChangeLogRepository).findByLeads(organizationId, ids);
        const filter = { objectIds: leads.map(({ _id }) => _id) };
        const service = await deliveriesOf(application);
        const deliveries = await service.list(organizationId, filter, maxHistoryEntries);
        printList(leadHistory(leads, changes, deliveries), historyColumns, options);
      }),
    );
}

/** Logs that personal data is shown. */
async function logShown(
  application: INestApplicationContext,
  organizationId: Types.ObjectId,
  leads: readonly LeadDto[],
): Promise<void> {
  for (const { _id } of leads) {
    const shown = { action: 'show', subject: 'lead', to: { _id, organizationId } } as const;
    await logged(application, shown, async () => null);
  }
}

async function leadsOf(
  application: INestApplicationContext,
  organizationId: Types.ObjectId,
  lead: string,
): Promise<[LeadDto, ...LeadDto[]]> {
  const { LeadLookupService } = await import('../../../leads/lead-lookup.service.js');
  const [first, ...others] = await application.get(LeadLookupService).find(organizationId, lead);
  if (first === undefined) throw new Error(`There is no lead ${lead} in this organization.`);
  return [first, ...others];
}
