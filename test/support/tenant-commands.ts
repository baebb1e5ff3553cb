import type { CommandStartedEvent, Document } from 'mongodb';
import type { Connection } from 'mongoose';

/** The commands of a service on the data of tenants. */
export interface TenantCommands {
  /** Commands without an organization that are not among the exceptions. */
  readonly violations: readonly string[];
  /** Calls back for each command on the data of tenants, with the organizations that it names. */
  onCommand(listener: (command: TenantCommand) => void): void;
}

/** A command on a collection of tenants' documents. */
export interface TenantCommand {
  readonly name: string;
  readonly collection: string;
  /** The fields of its filter. */
  readonly fields: readonly string[];
  /** Hexadecimal organizations of the filter or documents; null if one is missing. */
  readonly organizations: readonly string[] | null;
}

/** The option with which a driver emits its commands. */
export const monitored = 'monitorCommands=true';

/**
 * All commands that are meant for all organizations (rule DATA-10): their collection, kinds and the fields of their
 * filters. A request makes none of them but the first.
 */
const acrossTenants: readonly (readonly [string, string, string])[] = [
  // A key says which organization calls; the console names keys, and the operator lists and reseals them.
  ['apiKeys', 'find', 'hash'],
  ['apiKeys', 'find', '_id'],
  ['apiKeys', 'find', 'permissions.operations revokedAt'],
  ['apiKeys', 'find', 'secrets.0'],
  ['apiKeys', 'update', '_id secrets.sealed'],
  // The pass over phones derives the keys of leads that other programs have written.
  ['leads', 'aggregate', 'isDeleted updatedAt'],
  ['leads', 'aggregate', 'isDeleted phoneKeysOf'],
  ['leads', 'find', '_id isDeleted'],
  ['leads', 'update', '_id updatedAt'],
  // The relay numbers the events of all in their order.
  ['outboxEvents', 'find update aggregate', 'sequence'],
  // Workers lease, send and finish what is due, with the endpoints; metrics count it, the operator names one.
  ['webhookDeliveries', 'find update aggregate distinct', 'status'],
  ['webhookDeliveries', 'find update findAndModify aggregate', '_id'],
  ['webhookEndpoints', 'find update findAndModify', '_id'],
  ['webhookEndpoints', 'aggregate', ''],
  ['webhookEndpoints', 'find', 'secrets.0'],
  // The console shows what the operator did, for whomever.
  ['operatorLog', 'find', ''],
];

/**
 * Fails every command of a service on a tenant collection without an organization, except commands meant for all.
 * The connection string needs {@link monitored}.
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

/** Whether a command is meant for all organizations. */
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
  /** Each has to name the organization. */
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

/** The filters of a command, or the documents that it stores; none for one that touches no documents. */
function filtersOf(name: string, { filter, query, updates, deletes, documents }: Document) {
  const filters: Record<string, () => Document[]> = {
    find: () => [filter ?? {}],
    // Without a query the server returns the number that it keeps, which `db init` reads.
    count: () => (query === undefined ? [] : [query]),
    distinct: () => [query ?? {}],
    findAndModify: () => [query ?? {}],
    update: () => listOf(updates).map(({ q }) => q as Document),
    delete: () => listOf(deletes).map(({ q }) => q as Document),
    insert: () => listOf(documents),
  };
  return filters[name]?.() ?? [];
}

/** The first stages of a pipeline and of its inner pipelines. */
function pipelineParts(collection: string, steps: readonly Document[]): Part[] {
  const inner = steps.flatMap(({ $lookup, $graphLookup = $lookup, $unionWith, $facet }) => {
    // Its parts begin with the documents that the filter before it has found.
    if ($facet !== undefined) throw new Error('The stages of $facet are not checked yet.');
    const united = typeof $unionWith === 'string' ? { coll: $unionWith } : $unionWith;
    const { from, coll = from, pipeline } = $graphLookup ?? united ?? {};
    return coll === undefined ? [] : pipelineParts(coll, listOf(pipeline));
  });
  return [{ name: 'aggregate', collection, filters: [steps[0]?.['$match'] ?? {}] }, ...inner];
}

/** The organizations that all of the filters name; null when one of them does not. */
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
