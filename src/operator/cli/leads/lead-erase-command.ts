import { createInterface } from 'node:readline/promises';
import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import type { Types } from 'mongoose';
import type { Contact } from '../../../tenants/contacts/contact.js';
import type { ErasureReport } from '../../erasure/erasures.service.js';
import type { Organization } from '../../../tenants/organizations/organization.js';
import type { LeadDto } from '../../../leads/dto/lead.dto.js';
import { withApplication } from '../command-line/application.js';
import { addPrintingCommand, exampleId } from '../command-line/command-texts.js';
import { logged } from '../command-line/logged.js';
import { WrongUsageError } from '../command-line/operator-command.js';
import { externalId, name } from '../command-line/option-values.js';
import {
  type Columns,
  type OutputOptions,
  printItem,
  printJson,
  printLine,
  printList,
} from '../command-line/output.js';
import { scalarText } from '../../../core/values/scalar.js';
import { organizationOf } from '../organizations/organization-view.js';

interface EraseOptions extends OutputOptions {
  readonly org: string;
  readonly lead?: string;
  readonly phone?: string;
  readonly email?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

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
  Client: ({ clientId }) => clientId,
  Created: ({ createdAt }) => createdAt,
};

/** Adds `lead erase`. */
export function addErase(group: Command): void {
  addPrintingCommand(group, {
    name: 'erase',
    description:
      'forget a person: remove the values of leads, their client, history, events, deliveries and ' +
      'responses; ids, numbers and times stay. With --phone or --email it lists all leads of the ' +
      'person and asks. Repeated, it finishes what was cut short',
    example: `lead erase --org ${exampleId} --lead form-7f3a --dry-run`,
  })
    .requiredOption('--org <id>', 'id or name of the organization', name)
    .option('--lead <id>', 'external id (recordSystemId) of the lead, or its own id', externalId)
    .option('--phone <number>', 'a phone of the person, in any spelling', name)
    .option('--email <address>', 'the email of the person', name)
    .option('--dry-run', 'only tell what would be removed now')
    .option('--yes', 'do not ask')
    .action(async (options: EraseOptions) => {
      const person = await personOf(options);
      return withApplication(async (application) => {
        const { assertAllDone, ErasuresService } =
          await import('../../erasure/erasures.service.js');
        const { toOrganization } = await import('../../../tenants/organizations/organization.js');
        const organization = toOrganization(await organizationOf(application, options.org));
        const erasures = application.get(ErasuresService);
        const { dryRun = false, lead } = options;
        const { finished, failures } = dryRun
          ? { finished: 0, failures: [] }
          : await erasures.resume(organization);
        const leadIds =
          lead === undefined
            ? await confirmed(await erasures.leadsOfPerson(organization, person), options)
            : await erasures.leadsOf(organization, lead);
        if (lead !== undefined && leadIds.length === 0) {
          assertAllDone(failures);
          throw new Error(`There is no lead ${lead} in this organization.`);
        }
        const report = await erase(application, organization, leadIds, dryRun);
        print({ ...report, leadIds, finished }, options);
        assertAllDone(failures);
      });
    });
}

async function erase(
  application: INestApplicationContext,
  organization: Organization,
  leadIds: readonly Types.ObjectId[],
  isDryRun: boolean,
): Promise<ErasureReport> {
  const { ErasuresService } = await import('../../erasure/erasures.service.js');
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

/** @throws WrongUsageError unless the options name one lead, or one person by what is a phone and an email (LEAD-4, LEAD-7) */
async function personOf({ lead, phone, email }: EraseOptions): Promise<Contact> {
  const { isEmail } = await import('class-validator');
  const { isPhone, phoneLimit, phoneMinDigits } =
    await import('../../../tenants/contacts/phone-number.js');
  const isPerson = phone !== undefined || email !== undefined;
  if (isPerson === (lead !== undefined)) {
    throw new WrongUsageError('Name either the lead (--lead) or the person (--phone, --email).');
  }
  if (phone !== undefined && !isPhone(phone)) {
    throw new WrongUsageError(
      `${phone} is no phone: it must have at least ${phoneMinDigits} digits and at most ` +
        `${phoneLimit} characters, such as 0100 123 4567.`,
    );
  }
  if (email !== undefined && !isEmail(email)) {
    throw new WrongUsageError(
      `${email} is no email: it must be an address such as mona@example.com.`,
    );
  }
  return { email, phones: phone === undefined ? [] : [phone] };
}

/** The ids of the leads, when the operator wants all of them erased. */
async function confirmed(
  leads: readonly LeadDto[],
  { dryRun = false, yes = false, json = false }: EraseOptions,
): Promise<Types.ObjectId[]> {
  if (leads.length > 0 && !json) {
    printList(leads, leadColumns, {});
    printLine('');
  }
  if (leads.length > 0 && !dryRun && !yes && !(await isWanted(leads.length))) {
    throw new Error('Nothing was erased.');
  }
  const { Types } = await import('mongoose');
  return leads.map(({ _id }) => new Types.ObjectId(_id));
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
  report: ErasureReport & {
    readonly leadIds: readonly Types.ObjectId[];
    readonly finished: number;
  },
  options: EraseOptions,
): void {
  const { leadIds, finished, ...erased } = report;
  const { dryRun = false, json, phone, email } = options;
  if (json === true) return printJson({ dryRun, leadIds, ...erased, finished });
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
