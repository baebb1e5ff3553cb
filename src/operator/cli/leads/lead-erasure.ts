import { createInterface } from 'node:readline/promises';
import type { INestApplicationContext } from '@nestjs/common';
import { Types } from 'mongoose';
import { scalarText } from '../../../core/values/scalar.js';
import type { LeadDto } from '../../../leads/dto/lead.dto.js';
import { type Organization, toOrganization } from '../../../tenants/organizations/organization.js';
import {
  assertAllDone,
  type ErasureReport,
  ErasuresService,
} from '../../erasure/erasures.service.js';
import type { ValuesOf } from '../command-line/declaration.js';
import { logged } from '../command-line/logged.js';
import {
  type Columns,
  printItem,
  printJson,
  printLine,
  printList,
} from '../command-line/output.js';
import { organizationOf } from '../organizations/organization-view.js';
import type { leadCommands } from './lead-commands.js';

type EraseOptions = ValuesOf<typeof leadCommands.erase>;

/** What was removed, in the words of the report. */
export const erasureColumns: Columns<ErasureReport> = {
  Leads: ({ counts }) => counts.leads,
  Clients: ({ counts }) => counts.clients,
  'Change-log entries': ({ counts }) => counts.changeLogEntries,
  Events: ({ counts }) => counts.events,
  'Responses of receivers': ({ counts }) => counts.attempts,
  'Clients of other leads, kept': ({ keptClientIds }) => keptClientIds,
  'Stored responses end by themselves until': ({ storedResponsesEndAt }) => storedResponsesEndAt,
};

const leadColumns: Columns<LeadDto> = {
  Number: ({ leadId }) => leadId,
  'External id': ({ recordSystemId }) => recordSystemId,
  State: ({ isDeleted }) => (isDeleted ? 'deleted' : 'active'),
  Name: ({ data }) => scalarText(data['name']),
  Created: ({ createdAt }) => createdAt,
};

/** Logs that personal data is shown. */
export async function logShown(
  application: INestApplicationContext,
  organizationId: Types.ObjectId,
  leadIds: readonly string[],
): Promise<void> {
  for (const _id of leadIds) {
    const shown = { action: 'show', subject: 'lead', to: { _id, organizationId } } as const;
    await logged(application, shown, async () => null);
  }
}

/** The action of `lead erase`. */
export async function eraseLeads(
  application: INestApplicationContext,
  options: EraseOptions,
): Promise<void> {
  const organization = toOrganization(await organizationOf(application, options.org));
  const erasures = application.get(ErasuresService);
  const { dryRun, lead } = options;
  const { finished, failures } = dryRun
    ? { finished: 0, failures: [] }
    : await erasures.resume(organization);
  const leadIds =
    lead === undefined
      ? await confirmed(application, organization, options)
      : await erasures.leadsOf(organization, lead);
  if (lead !== undefined && leadIds.length === 0) {
    assertAllDone(failures);
    throw new Error(`There is no lead ${lead} in this organization.`);
  }
  const report = await erase(application, organization, leadIds, dryRun);
  print(report, leadIds, finished, options);
  assertAllDone(failures);
}

async function erase(
  application: INestApplicationContext,
  organization: Organization,
  leadIds: readonly Types.ObjectId[],
  isDryRun: boolean,
): Promise<ErasureReport> {
  const work = () => application.get(ErasuresService).erase(organization, leadIds, isDryRun);
  const [_id, ...others] = leadIds;
  if (_id === undefined) return work();
  const erasing = {
    action: isDryRun ? 'show' : 'erase',
    subject: 'lead',
    to: { _id, organizationId: organization._id },
    details: others.join(' '),
  } as const;
  return logged(application, erasing, work);
}

/** The ids of a person's leads, when the operator wants all of them erased. */
async function confirmed(
  application: INestApplicationContext,
  organization: Organization,
  { phone, email, dryRun, yes, json }: EraseOptions,
): Promise<Types.ObjectId[]> {
  const person = { email, phones: phone === undefined ? [] : [phone] };
  const leads = await application.get(ErasuresService).leadsOfPerson(organization, person);
  const ids = leads.map(({ _id }) => _id);
  if (leads.length > 0 && json !== true) {
    await logShown(application, organization._id, ids);
    printList(leads, leadColumns, {});
    printLine('');
  }
  if (leads.length > 0 && !dryRun && !yes && !(await isWanted(leads.length))) {
    throw new Error('Nothing was erased.');
  }
  return ids.map((id) => new Types.ObjectId(id));
}

/** @throws Error where nobody can be asked */
async function isWanted(count: number): Promise<boolean> {
  if (!process.stdin.isTTY) throw new Error(`Nothing was erased: repeat it with --yes.`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`Erase these ${count} leads for ever? (yes/no) `);
    return answer.trim().toLowerCase() === 'yes';
  } finally {
    terminal.close();
  }
}

function print(
  report: ErasureReport,
  leadIds: readonly Types.ObjectId[],
  finished: number,
  options: EraseOptions,
): void {
  const { dryRun, json, phone, email } = options;
  if (json === true) return printJson({ dryRun, leadIds, ...report, finished });
  if (finished > 0) printLine(`Erasures that were cut short and are finished now: ${finished}.`);
  if (leadIds.length === 0) {
    const named = Object.entries({ phone, email }).filter(([, value]) => value !== undefined);
    const names = named.map(([key]) => key).join(' or ');
    const nothing = finished > 0 ? 'nothing more' : 'nothing';
    // No error: a person who was erased before is not known either, and that may be repeated.
    return printLine(`No lead, and no client of a lead, has this ${names}; ${nothing} was erased.`);
  }
  printLine(dryRun ? 'Would be removed from:' : 'Removed from:');
  printItem(report, erasureColumns, options);
}
