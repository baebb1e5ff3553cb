import { createInterface } from 'node:readline/promises';
import { Types } from 'mongoose';
import { scalarText, withoutUndefined } from '../../../core/values/json.js';
import type { LeadDto } from '../../../leads/dto/lead.dto.js';
import { LeadErasuresService } from '../../../leads/erasure/lead-erasures.service.js';
import { LeadLookupService } from '../../../leads/reading/lead-lookup.service.js';
import { phoneKeys } from '../../../tenants/contacts/phone-number.js';
import { type Organization, toOrganization } from '../../../tenants/organizations/organization.js';
import { ErasuresService, failureMessage } from '../../erasure/erasures.service.js';
import type { CommandContext } from '../command-line/context.js';
import { item, list, print, joinResults, type Result, type View } from '../command-line/result.js';
import type { EraseOptions } from './lead-commands.js';

const foundLeadFields: View<LeadDto> = [
  'leadId',
  'recordSystemId',
  'isDeleted',
  'createdAt',
  { title: 'Name', of: ({ data }) => scalarText(data['name']) },
];

export function leadNotFound(lead: string): string {
  return `There is no lead ${lead} in this organization: search for it in the console.`;
}

export async function logDisclosure(
  context: CommandContext,
  organizationId: Types.ObjectId,
  leadIds: readonly string[],
): Promise<void> {
  for (const _id of leadIds) {
    await context.audit('lead.show', { _id, organizationId }, async () => null);
  }
}

export async function eraseLeads(context: CommandContext, values: EraseOptions): Promise<Result> {
  const organization = toOrganization(await context.organization(values.org));
  const erasures = context.get(ErasuresService);
  const { dryRun = false, lead } = values;
  const { erasures: finished, failures } = dryRun
    ? { erasures: 0, failures: [] }
    : await erasures.resume(organization);
  const leadIds =
    lead === undefined
      ? await confirmedLeadIds(context, organization, values)
      : (await context.get(LeadLookupService).findByIds(organization._id, lead)).map(
          ({ _id }) => _id,
        );
  if (lead !== undefined && leadIds.length === 0) {
    throw new Error(failureMessage(failures) ?? leadNotFound(lead));
  }
  const work = () => erasures.erase(organization, leadIds, dryRun);
  const [_id, ...others] = leadIds;
  const subject = _id && { _id, organizationId: organization._id };
  const action = dryRun ? 'lead.show' : 'lead.erase';
  const removed = await (subject ? context.audit(action, subject, work, others.join(' ')) : work());
  const json = { dryRun, leadIds, ...removed, finished };
  const parts = [
    finished > 0 && `Interrupted erasures now finished: ${finished}.`,
    ...(subject
      ? [dryRun ? 'Would be removed from:' : 'Removed from:', item(removed)]
      : [nothingErased(values, finished)]),
  ];
  return { ...joinResults(json, ...parts), failure: failureMessage(failures) };
}

/** Reports success: erased people are unknown too, and an erasure may be repeated. */
function nothingErased({ phone, email }: EraseOptions, finished: number): string {
  const names = Object.keys(withoutUndefined({ phone, email })).join(' or ');
  const nothing = finished > 0 ? 'nothing more' : 'nothing';
  return `No lead, and no client of a lead, has this ${names}; ${nothing} was erased.`;
}

async function confirmedLeadIds(
  context: CommandContext,
  organization: Organization,
  { phone, email, dryRun, yes }: EraseOptions,
): Promise<Types.ObjectId[]> {
  if (phone !== undefined && phoneKeys(phone, organization.phoneCountry).length === 0) {
    throw new Error(
      `${phone} is a placeholder or a rounded number, which several people may share: erase by --lead or --email.`,
    );
  }
  const person = { email, phones: phone === undefined ? [] : [phone] };
  const leads = await context.get(LeadErasuresService).findByPerson(organization, person);
  const ids = leads.map(({ _id }) => _id);
  if (leads.length > 0 && !context.isJson) {
    await logDisclosure(context, organization._id, ids);
    print(joinResults(null, list(leads, foundLeadFields), ''), false);
  }
  if (leads.length > 0 && !dryRun && !yes && !(await askToConfirm(leads.length))) {
    throw new Error('Nothing was erased.');
  }
  return ids.map((id) => new Types.ObjectId(id));
}

/** @throws Error without a terminal */
async function askToConfirm(count: number): Promise<boolean> {
  if (!process.stdin.isTTY) throw new Error('Nothing was erased: repeat the command with --yes.');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const leads = count === 1 ? 'this lead' : `these ${count} leads`;
    const answer = await terminal.question(`Erase ${leads} permanently? (yes/no) `);
    return answer.trim().toLowerCase() === 'yes';
  } finally {
    terminal.close();
  }
}
