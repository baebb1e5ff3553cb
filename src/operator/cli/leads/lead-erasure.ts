import { createInterface } from 'node:readline/promises';
import { Types } from 'mongoose';
import { scalarText } from '../../../core/values/json.js';
import type { LeadDto } from '../../../leads/dto/lead.dto.js';
import { type Organization, toOrganization } from '../../../tenants/organizations/organization.js';
import { type ErasureReport, ErasuresService, failureOf } from '../../erasure/erasures.service.js';
import type { CommandContext } from '../command-line/context.js';
import type { ValuesOf } from '../command-line/declaration.js';
import { type Columns, item, list, print, report, type Result } from '../command-line/result.js';
import type { leadCommands } from './lead-commands.js';

type EraseValues = ValuesOf<typeof leadCommands.erase>;

export const erasureColumns: Columns<ErasureReport> = {
  Leads: ({ counts }) => counts.leads,
  Clients: ({ counts }) => counts.clients,
  'Change-log entries': ({ counts }) => counts.changeLogEntries,
  Events: ({ counts }) => counts.events,
  'Responses of receivers': ({ counts }) => counts.attempts,
  'Clients of other leads, kept': ({ keptClientIds }) => keptClientIds,
  'Stored responses expire by': ({ storedResponsesEndAt }) => storedResponsesEndAt,
};

const leadColumns: Columns<LeadDto> = {
  Number: ({ leadId }) => leadId,
  'External id': ({ recordSystemId }) => recordSystemId,
  State: ({ isDeleted }) => (isDeleted ? 'deleted' : 'active'),
  Name: ({ data }) => scalarText(data['name']),
  Created: ({ createdAt }) => createdAt,
};

export async function logDisclosure(
  context: CommandContext,
  organizationId: Types.ObjectId,
  leadIds: readonly string[],
): Promise<void> {
  for (const _id of leadIds) {
    const shown = { action: 'show', subject: 'lead', to: { _id, organizationId } } as const;
    await context.logged(shown, async () => null);
  }
}

export async function eraseLeads(context: CommandContext, values: EraseValues): Promise<Result> {
  const organization = toOrganization(await context.organization(values.org));
  const erasures = context.get(ErasuresService);
  const { dryRun, lead } = values;
  const { erasures: finished, failures } = dryRun
    ? { erasures: 0, failures: [] }
    : await erasures.resume(organization);
  const leadIds =
    lead === undefined
      ? await confirmed(context, organization, values)
      : await erasures.leadsOf(organization, lead);
  if (lead !== undefined && leadIds.length === 0) {
    throw new Error(failureOf(failures) ?? `There is no lead ${lead} in this organization.`);
  }
  const work = () => erasures.erase(organization, leadIds, dryRun);
  const [_id, ...others] = leadIds;
  const erasing = {
    action: dryRun ? 'show' : 'erase',
    subject: 'lead',
    details: others.join(' '),
  } as const;
  const to = _id && { _id, organizationId: organization._id };
  const removed = await (to ? context.logged({ ...erasing, to }, work) : work());
  const json = { dryRun, leadIds, ...removed, finished };
  const parts = [
    ...(finished > 0 ? [`Interrupted erasures that are finished now: ${finished}.`] : []),
    ...(to
      ? [dryRun ? 'Would be removed from:' : 'Removed from:', item(removed, erasureColumns)]
      : [nothingErased(values, finished)]),
  ];
  return { ...report(json, ...parts), failure: failureOf(failures) };
}

/** No error: an erased person is unknown, too, and an erasure may be repeated. */
function nothingErased({ phone, email }: EraseValues, finished: number): string {
  const names = [
    ...(phone === undefined ? [] : ['phone']),
    ...(email === undefined ? [] : ['email']),
  ];
  const nothing = finished > 0 ? 'nothing more' : 'nothing';
  return `No lead, and no client of a lead, has this ${names.join(' or ')}; ${nothing} was erased.`;
}

async function confirmed(
  context: CommandContext,
  organization: Organization,
  { phone, email, dryRun, yes }: EraseValues,
): Promise<Types.ObjectId[]> {
  const person = { email, phones: phone === undefined ? [] : [phone] };
  const leads = await context.get(ErasuresService).leadsOfPerson(organization, person);
  const ids = leads.map(({ _id }) => _id);
  if (leads.length > 0 && !context.isJson) {
    await logDisclosure(context, organization._id, ids);
    print(report(null, list(leads, leadColumns), ''), false);
  }
  if (leads.length > 0 && !dryRun && !yes && !(await askToConfirm(leads.length))) {
    throw new Error('Nothing was erased.');
  }
  return ids.map((id) => new Types.ObjectId(id));
}

/** @throws Error without a terminal to ask at */
async function askToConfirm(count: number): Promise<boolean> {
  if (!process.stdin.isTTY) throw new Error('Nothing was erased: repeat the command with --yes.');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`Erase these ${count} leads forever? (yes/no) `);
    return answer.trim().toLowerCase() === 'yes';
  } finally {
    terminal.close();
  }
}
