import type { CommandStartedEvent, Document } from 'mongodb';
import type { Connection } from 'mongoose';

export interface TenantCommands {
  /** Commands that name no organization and are not listed as exceptions. */
  readonly violations: readonly string[];
  /** Calls the listener for each command on tenant data, with the organizations that the command names. */
  onCommand(listener: (command: TenantCommand) => void): void;
}

export interface TenantCommand {
  readonly name: string;
  readonly collection: string;
  readonly fields: readonly string[];
  /** Hexadecimal ids from the filters or documents; null if any of them names no organization. */
  readonly organizations: readonly string[] | null;
}

/** The driver emits command events only with this option. */
export const monitored = 'monitorCommands=true';

/**
 * Lists all commands that may span organizations (rule DATA-10), by collection, commands and filter fields. Only
 * the first one is caused by a request.
 */
const acrossTenants: readonly (readonly [string, string, string])[] = [
  // The key of a request identifies its organization; the console looks up key names; the operator lists and reseals keys.
  ['apiKeys', 'find', 'hash'],
  ['apiKeys', 'find', '_id'],
  ['apiKeys', 'find', 'permissions.operations revokedAt'],
  ['apiKeys', 'find', 'secrets.0'],
  // The console lists and searches keys of all organizations.
  ['apiKeys', 'aggregate', ''],
  // A partner reports the id of a request without naming its key.
  ['requestLog', 'find', 'requestId'],
  // A preflight has no key.
  ['apiKeys', 'find', 'permissions.origins permissions.allowExternal'],
  ['apiKeys', 'update', '_id secrets.sealed'],
  // The background job for phones derives the keys of leads that other programs have written.
  ['leads', 'aggregate', 'isDeleted updatedAt'],
  ['leads', 'aggregate', 'isDeleted phoneKeysOf'],
  ['leads', 'aggregate', '_id isDeleted'],
  ['leads', 'update', '_id updatedAt'],
  // It rewrites phones of clients, and `db status` counts clients that share a phone.
  ['clients', 'aggregate', 'isDeleted phoneRule'],
  ['clients', 'update', '_id updatedAt'],
  ['clients', 'update', '_id phoneRule'],
  ['clients', 'aggregate', 'isDeleted phoneNumbers'],
  // The relay numbers the events of all organizations in one sequence.
  ['outboxEvents', 'find update aggregate', 'sequence'],
  // Workers lease, send and finish due deliveries with their endpoints; metrics count them; the operator names one.
  ['webhookDeliveries', 'find update aggregate distinct', 'status'],
  ['webhookDeliveries', 'find update findAndModify aggregate', '_id'],
  ['webhookEndpoints', 'find update findAndModify', '_id'],
  ['webhookEndpoints', 'aggregate', ''],
  ['webhookEndpoints', 'find', 'secrets.0'],
  // The console shows the attempts of all endpoints.
  ['webhookStatistics', 'aggregate', 'at'],
  // The console shows the actions of the operator for all organizations.
  ['operatorLog', 'aggregate', ''],
];

/**
 * Fails every command on a tenant collection that names no organization, except the listed ones. The connection string
 * must contain {@link monitored}.
 */
export function watchTenantCommands(connection: Connection): TenantCommands {
  const models = Object.values(connection.models);
  const collections = new Set(
    models
      .filter(({ schema }) => schema.path('organizationId') !== undefined)
      .map(({ collection }) => collection.collectionName),
  );
  const violations: string[] = [];
  const listeners: ((command: TenantCommand) => void)[] = [];
  connection.getClient().on('commandStarted', ({ commandName, command }: CommandStartedEvent) => {
    for (const part of partsOf(commandName, command, collections)) {
      const { name, collection, filters } = part;
      const fields = [...new Set(filters.flatMap((filter) => Object.keys(filter)))].toSorted();
      const found = { name, collection, fields, organizations: organizationsOf(filters) };
      for (const listener of listeners) listener(found);
      if (found.organizations !== null || isAcrossTenants(found)) continue;
      const violation = `${name} ${collection} by ${fields.join(', ')}`;
      violations.push(violation);
      throw new Error(`A command names no organization: ${violation}`);
    }
  });
  return { violations, onCommand: (listener) => void listeners.push(listener) };
}

function isAcrossTenants({ name, collection, fields }: TenantCommand): boolean {
  return acrossTenants.some(
    ([of, commands, filtered]) =>
      of === collection &&
      commands.split(' ').includes(name) &&
      filtered.split(' ').every((field) => field === '' || fields.includes(field)),
  );
}

interface Part {
  readonly name: string;
  readonly collection: string;
  /** Every filter must name the organization. */
  readonly filters: readonly Document[];
}

function partsOf(name: string, command: Document, collections: ReadonlySet<string>): Part[] {
  const collection = String(command[name]);
  const parts =
    name === 'aggregate'
      ? pipelineParts(collection, listOf(command['pipeline']))
      : [{ name, collection, filters: filtersOf(name, command) }];
  return parts.filter((part) => part.filters.length > 0 && collections.has(part.collection));
}

/**
 * Returns the filters of a command, or the documents that it inserts. Commands that touch no documents have neither.
 */
function filtersOf(name: string, { filter, query, updates, deletes, documents }: Document) {
  const filters: Record<string, () => Document[]> = {
    find: () => [filter ?? {}],
    // Without a query the server returns its stored count, which `db init` reads.
    count: () => (query === undefined ? [] : [query]),
    distinct: () => [query ?? {}],
    findAndModify: () => [query ?? {}],
    update: () => listOf(updates).map(({ q }) => q as Document),
    delete: () => listOf(deletes).map(({ q }) => q as Document),
    insert: () => listOf(documents),
  };
  return filters[name]?.() ?? [];
}

/** Splits a pipeline into its first stage and those of its inner pipelines. */
function pipelineParts(collection: string, steps: readonly Document[]): Part[] {
  const inner = steps.flatMap(({ $lookup, $graphLookup = $lookup, $unionWith, $facet }) => {
    // The pipelines of a $facet start with the documents that earlier stages have found, so they need no filter of
    // their own.
    if ($facet !== undefined) throw new Error('The stages of $facet are not checked yet.');
    const united = typeof $unionWith === 'string' ? { coll: $unionWith } : $unionWith;
    const { from, coll = from, pipeline } = $graphLookup ?? united ?? {};
    return coll === undefined ? [] : pipelineParts(coll, listOf(pipeline));
  });
  return [{ name: 'aggregate', collection, filters: [steps[0]?.['$match'] ?? {}] }, ...inner];
}

/** Returns the organizations that the filters name, or null if one filter names none. */
function organizationsOf(filters: readonly Document[]): string[] | null {
  const named = filters.map(namedIn);
  return named.includes(null) ? null : named.flatMap((ids) => ids ?? []);
}

function namedIn({ organizationId, $and }: Document): string[] | null {
  const ids = [organizationId?.['$in'] ?? organizationId?.['$eq'] ?? organizationId].flat();
  if (ids.every((id) => id?.['_bsontype'] === 'ObjectId')) return ids.map(String);
  const found = listOf($and).map(namedIn);
  return found.find((one) => one !== null) ?? null;
}

function listOf(value: unknown): Document[] {
  return Array.isArray(value) ? (value as Document[]) : [];
}
