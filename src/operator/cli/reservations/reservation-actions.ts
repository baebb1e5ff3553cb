import { Types } from 'mongoose';
import { parseObjectId } from '../../../core/database/documents/tenant-document.js';
import { csvRows } from '../../../core/values/csv.js';
import {
  type CallbackEntry,
  type ReservationDetails,
  ReservationLookupService,
} from '../../../reservations/reading/reservation-lookup.service.js';
import {
  type LedgerFileResult,
  ReconciliationsService,
} from '../../../reservations/reconciliation/reconciliations.service.js';
import { ApiKeysService } from '../../../tenants/keys/api-keys.service.js';
import { OrganizationsRepository } from '../../../tenants/organizations/organizations.repository.js';
import {
  callbackListFields,
  chequeFields,
  chequesInAllWallets,
  reportFields,
  reportsOf,
  reservationFields,
  reservationOverviewFields,
} from '../../views/reservation.js';
import { type CommandContext, exactlyOne } from '../command-line/context.js';
import type { CommandActions } from '../command-line/command.js';
import { readTextFile } from '../command-line/files.js';
import { pluralize, item, list, joinResults, type Result } from '../command-line/result.js';
import type { reservationCommands } from './reservation-commands.js';

type Comparison = NonNullable<LedgerFileResult['comparison']>;

/** A unit has at most one approved reservation unless another program stored more. */
const maxBlocking = 100;
const search = 'search for it in the console';
const findingTitles = ['Entry', 'Reservation', 'Installment', 'Difference', 'Ours', 'Theirs'];

export const actions: CommandActions<typeof reservationCommands> = {
  list: async (context, { org, limit, ...query }) => {
    const { _id } = await context.organization(org);
    const found = await context.get(ReservationLookupService).overview(_id, query, limit);
    return list(found, reservationOverviewFields);
  },

  show: async (context, reference) => {
    const { found } = await inspectReservation(context, reference);
    if (found === null) throw new Error(`There is no reservation with id ${reference}: ${search}.`);
    const [cheques, reports] = [chequesInAllWallets(found), reportsOf(found)];
    return joinResults(
      found,
      item(found, reservationFields),
      cheques.length > 0 ? list(cheques, chequeFields) : 'The reservation has no cheques.',
      reports.length > 0 ? list(reports, reportFields) : 'No cheques have been reported.',
    );
  },

  callbacks: async (context, reference, { limit }) => {
    const { organizations, id, found } = await inspectReservation(context, reference);
    const lookup = context.get(ReservationLookupService);
    const callbacks = await lookup.listCallbacks(organizations, id, limit);
    const named = await withNames(context, callbacks);
    const others = found === null ? [] : await blockingOf(context, found);
    return joinResults(
      named,
      found !== null && titleOf(found),
      list(named, callbackListFields),
      others.length > 0 && `The unit has other approved reservations: ${others.join(', ')}.`,
    );
  },

  reconcile: async (context, file, { org, complete = false, csv = false }) => {
    const { _id } = await context.organization(org);
    const text = await readTextFile(file);
    const ledgers = context.get(ReconciliationsService);
    const { errors, comparison } = await ledgers.compareFile(_id, text, complete);
    if (comparison !== undefined) {
      return csv && !context.isJson ? printCsv(comparison) : comparisonResult(comparison);
    }
    const failure = `The file has ${pluralize(errors.length, 'error')}. Nothing was compared.`;
    return { ...list(errors), failure };
  },
};

/** Several matches are only listed, so that the operator chooses one. */
const maxMatches = 100;

/** Also accepts unknown ids, because refused callbacks are logged with them. */
async function inspectReservation(context: CommandContext, reference: string) {
  const organizations = await context.get(OrganizationsRepository).listAllIds();
  const lookup = context.get(ReservationLookupService);
  const ownId = parseObjectId(reference);
  const matches = ownId === null ? await lookup.search(organizations, reference, maxMatches) : [];
  const id =
    ownId ??
    new Types.ObjectId(exactlyOne(matches, `reservation with id ${reference}`, search)._id);
  return { organizations, id, found: await lookup.inspect(organizations, id) };
}

async function withNames(context: CommandContext, callbacks: readonly CallbackEntry[]) {
  const idsOf = (name: 'organizationId' | 'apiKeyId') =>
    [...new Set(callbacks.map((callback) => callback[name]))].flatMap(
      (id) => parseObjectId(id) ?? [],
    );
  const [organizations, keys] = await Promise.all([
    context.get(OrganizationsRepository).findAll(idsOf('organizationId')),
    context.get(ApiKeysService).findByIds(idsOf('apiKeyId')),
  ]);
  const names = new Map(
    [...organizations, ...keys].map(({ _id, name }) => [_id.toHexString(), name]),
  );
  return callbacks.map((callback) => ({
    ...callback,
    organizationName: names.get(callback.organizationId) || callback.organizationId,
    keyName: names.get(callback.apiKeyId) || callback.apiKeyId,
  }));
}

/** Returns the unit's other approved reservations, for which callbacks are refused. */
async function blockingOf(
  context: CommandContext,
  { _id, unitId, organizationId }: ReservationDetails,
): Promise<string[]> {
  if (unitId === null) return [];
  const approved = await context
    .get(ReservationLookupService)
    .overview(
      new Types.ObjectId(organizationId),
      { status: 'approved', unit: unitId },
      maxBlocking,
    );
  const others = approved.filter((other) => other._id !== _id);
  return others.map(({ recordSystemId, _id: id }) => recordSystemId ?? id);
}

function titleOf({ _id, recordSystemId, unit, unitId }: ReservationDetails): string {
  return `Reservation ${recordSystemId ?? _id}, unit ${unit?.slug ?? unitId ?? 'unknown'}`;
}

/** Bypasses line formatting: RFC 4180 ends lines with CRLF. */
function printCsv(outcome: Comparison): void {
  const rows = findingsOf(outcome).map((row) => Object.values(row).map((value) => value ?? ''));
  process.stdout.write(csvRows([findingTitles, ...rows]));
}

function comparisonResult(outcome: Comparison): Result {
  const { compared, matching, hasMore = false } = outcome;
  const findings = findingsOf(outcome);
  const entries = pluralize(compared, 'entry', 'entries');
  const matches = `${matching} ${matching === 1 ? 'matches' : 'match'}`;
  return joinResults(
    outcome,
    `${entries} compared, ${matches}, ${pluralize(findings.length, 'finding')}.`,
    hasMore && 'Not all unmentioned cheques are listed.',
    findings.length > 0 && list(findings),
  );
}

function findingsOf({ differences, unmentioned = [] }: Comparison) {
  const all = [
    ...differences.map((difference) => ({ ...difference, entry: difference.index + 1 })),
    ...unmentioned.map(({ status: ours, ...cheque }) => {
      return { ...cheque, entry: null, kind: 'unmentioned', ours, theirs: null } as const;
    }),
  ];
  return all.map(({ reservationId: reservation, installmentId: installment, ...found }) => {
    const { entry, kind: difference, ours, theirs } = found;
    return { entry, reservation, installment, difference, ours, theirs };
  });
}
