import type { CommandStartedEvent, Document, MongoClient } from 'mongodb';

/** The watched connection of a service. */
interface Watched {
  readonly models: Readonly<
    Record<
      string,
      {
        readonly collection: { readonly collectionName: string };
        readonly schema: { path(name: string): unknown };
      }
    >
  >;
  getClient(): MongoClient;
}

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

/** The option with which a service tells its commands. */
export const monitored = 'monitorCommands=true';

/**
 * All commands that are meant for all organizations (rule DATA-10): kinds of commands, collection, the fields of their
 * filters, and why. A request makes none of them but the first.
 */
const acrossTenants: readonly (readonly [string, string, string, string])[] = [
  ['find', 'apiKeys', 'hash', 'the key says which organization calls'],
  ['find', 'apiKeys', '_id', 'the console names the keys whose calls it shows'],
  ['find', 'apiKeys', 'permissions.operations revokedAt', 'db status lists unrestricted keys'],
  ['find', 'apiKeys', 'secrets.0', 'webhook reseal covers all secrets'],
  ['update', 'apiKeys', '_id secrets.sealed', 'webhook reseal covers all secrets'],
  [
    'aggregate',
    'leads',
    'isDeleted updatedAt',
    'the pass over phones: leads that other programs have written',
  ],
  ['aggregate', 'leads', 'isDeleted phoneKeysOf', 'the same pass: leads without keys'],
  ['find', 'leads', '_id isDeleted', 'the same pass reads the phones of these leads'],
  ['update', 'leads', '_id updatedAt', 'the pass over phones stores what it has derived'],
  [
    'find update aggregate',
    'outboxEvents',
    'sequence',
    'the relay takes the events of all in their order, and numbers them',
  ],
  [
    'find update aggregate distinct',
    'webhookDeliveries',
    'status',
    'workers look for what is due, and metrics count it',
  ],
  [
    'find update findAndModify aggregate',
    'webhookDeliveries',
    '_id',
    'workers lease and finish deliveries; the operator names one',
  ],
  [
    'find update findAndModify',
    'webhookEndpoints',
    '_id',
    'workers read and note the state of endpoints; the operator names one',
  ],
  ['aggregate', 'webhookEndpoints', '', 'workers join the endpoints of what is due by id'],
  ['find', 'webhookEndpoints', 'secrets.0', 'webhook reseal covers all secrets'],
  ['find', 'operatorLog', '', 'the console shows what the operator did, for whomever'],
];

/**
 * Fails every command of a service on a tenant collection without an organization, except commands meant for all.
 * The connection string needs {@link monitored}.
 */
export function watchTenantCommands(connection: Watched): TenantCommands {
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
export function isAcrossTenants({ name, collection, fields }: TenantCommand): boolean {
  return acrossTenants.some(
    ([commands, of, filtered]) =>
      of === collection &&
      commands.split(' ').includes(name) &&
      filtered.split(' ').every((field) => field === '' || fields.includes(field)),
  );
}

interface Part {
  readonly name: string;
  readonly collection: string;
  /** Each has to say whose documents it is about. */
  readonly filters: readonly Document[];
}

function partsOf(name: string, command: Document, collections: ReadonlySet<string>): Part[] {
  const collection = String(command[name]);
  if (name === 'aggregate')
    return pipelineParts(collection, listOf(command['pipeline']), collections);
  const filters = filtersOf(name, command);
  if (filters === null || !collections.has(collection)) return [];
  return [{ name, collection, filters }];
}

/** The filters of a command, or the documents that it stores; null for one that touches no documents. */
function filtersOf(name: string, command: Document): Document[] | null {
  switch (name) {
    case 'find':
      return [command['filter'] ?? {}];
    case 'count':
      // Without a query it is the number that the server keeps, which `db init` asks for.
      return command['query'] === undefined ? null : [command['query']];
    case 'distinct':
    case 'findAndModify':
      return [command['query'] ?? {}];
    case 'update':
      return listOf(command['updates']).map(({ q }) => q as Document);
    case 'delete':
      return listOf(command['deletes']).map(({ q }) => q as Document);
    case 'insert':
      return listOf(command['documents']);
    default:
      return null;
  }
}

/** The beginnings of a pipeline and of those inside of it. */
function pipelineParts(
  collection: string,
  steps: readonly Document[],
  collections: ReadonlySet<string>,
): Part[] {
  const [first = {}] = steps;
  const part = {
    name: 'aggregate',
    collection,
    filters: [(first['$match'] as Document) ?? {}],
  };
  const inner = steps.flatMap((step) => {
    const { $lookup, $unionWith, $graphLookup, $facet } = step;
    const joined = ($lookup ?? $graphLookup) as Document | undefined;
    const united = typeof $unionWith === 'string' ? { coll: $unionWith } : ($unionWith as Document);
    return [
      ...(joined ? pipelineParts(joined['from'], listOf(joined['pipeline']), collections) : []),
      ...(united ? pipelineParts(united['coll'], listOf(united['pipeline']), collections) : []),
      ...Object.values(($facet ?? {}) as Document).flatMap((branch: Document[]) =>
        branch.flatMap((nested) => pipelineParts('', [{}, nested], collections)),
      ),
    ];
  });
  return collections.has(collection) ? [part, ...inner] : inner;
}

/** The organizations that all of the filters name; null when one of them does not. */
function organizationsOf(filters: readonly Document[]): string[] | null {
  const named = filters.map(namedIn);
  return named.includes(null) ? null : named.flatMap((ids) => ids ?? []);
}

function namedIn({ organizationId, $and, $or }: Document): string[] | null {
  const listed = ['$in', '$eq'].flatMap((operator) => organizationId?.[operator] ?? []);
  const ids = (listed.length > 0 ? listed : [organizationId]) as readonly (Document | undefined)[];
  if (ids.every((id) => id?.['_bsontype'] === 'ObjectId')) return ids.map(String);
  const all = listOf($and).map(namedIn);
  const one = all.find((found) => found !== null);
  if (one !== undefined) return one;
  const any = listOf($or);
  return any.length === 0 ? null : organizationsOf(any);
}

function listOf(value: unknown): Document[] {
  return Array.isArray(value) ? (value as Document[]) : [];
}
