import type { Types } from 'mongoose';
import { parseObjectId } from '../../../../core/database/documents/tenant-document.js';
import { localizedText } from '../../../../core/localization/language.js';
import { objectIdOf } from '../../../../events/outbox/message.js';
import type { Organization } from '../../../../tenants/organizations/organization.js';
import { eventPath, recordPath } from '../../../views/view-field.js';
import { maskedUrl } from '../../components/masking.js';
import type { PageServices } from '../../page-services.js';

export interface Query {
  readonly services: PageServices;
  readonly organizations: readonly Organization[];
  readonly ids: readonly Types.ObjectId[];
  readonly reference: string;
  readonly limit: number;
}

type Id = Types.ObjectId | string;

export type SearchResult = ReturnType<typeof resultOf>;

type Search = (query: Query) => Promise<SearchResult[]>;

function resultOf(
  kind:
    'lead' | 'reservation' | 'unit' | 'delivery' | 'endpoint' | 'key' | 'organization' | 'event',
  record: { readonly _id: Id; organizationId: Id; createdAt: Date | string | null },
  name: string,
  details: readonly (string | null | undefined)[],
) {
  const organizationId = String(record.organizationId);
  const path = recordPath(kind, organizationId, String(record._id));
  return { kind, organizationId, name, path, details, createdAt: record.createdAt };
}

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Names have letters, and are neither ids nor emails. */
function canBeName(reference: string): boolean {
  const isId = parseObjectId(reference) !== null || uuid.test(reference);
  return !isId && !reference.includes('@') && /\p{L}/u.test(reference);
}

const searchLeads: Search = async ({ services, organizations, reference, limit }) => {
  const leads = await services.leads.search(organizations, reference, limit);
  return leads.map((lead) =>
    resultOf('lead', lead, `Lead ${lead.leadId}`, [lead.recordSystemId, deletedNote(lead)]),
  );
};

const searchReservations: Search = async ({ services, ids, reference, limit }) => {
  const found = await services.reservations.search(ids, reference, limit);
  return found.map((reservation) =>
    resultOf('reservation', reservation, reservation.recordSystemId ?? reservation._id, [
      reservation.status,
      deletedNote(reservation),
    ]),
  );
};

const searchUnits: Search = async ({ services, ids, reference, limit }) => {
  const units = await services.units.search(ids, reference, limit);
  return units.map((unit) => {
    const compound = localizedText(unit.compound, 'en-us') || unit.compoundId;
    const { _id, unitId, slug, status } = unit;
    return resultOf('unit', unit, unitId || slug || _id, [compound, slug, status]);
  });
};

const searchDeliveries: Search = async ({ services, ids, reference, limit }) => {
  if (!reference.startsWith('msg_') && parseObjectId(reference) === null) return [];
  const found = await services.deliveries.search(ids, reference, limit);
  return found.map((delivery) =>
    resultOf('delivery', delivery, `Delivery of ${delivery.type}`, [delivery.status]),
  );
};

const searchEndpoints: Search = async ({ services, reference, limit }) => {
  const id = parseObjectId(reference);
  const found = id && (await services.endpoints.inspect(id));
  if (found !== null) return [resultOf('endpoint', found.shown, maskedUrl(found.shown.url), [])];
  if (!canBeName(reference)) return [];
  const endpoints = await services.endpoints.searchByUrl(reference, limit);
  return endpoints.map((endpoint) => resultOf('endpoint', endpoint, maskedUrl(endpoint.url), []));
};

const searchKeys: Search = async ({ services, reference, limit }) => {
  if (!canBeName(reference) && parseObjectId(reference) === null) return [];
  const keys = await services.keys.searchKeys(reference, limit);
  return keys.map((key) =>
    resultOf('key', key, key.name || String(key._id), [key.prefix, services.keys.stateOf(key)]),
  );
};

/** An organization's page is the list of its keys. */
const searchOrganizations: Search = ({ organizations, reference, limit }) => {
  const text = reference.toLowerCase();
  const isMeant = ({ _id, name }: Organization) =>
    _id.toHexString() === text || (canBeName(reference) && name.toLowerCase().includes(text));
  const found = organizations.filter(isMeant).slice(0, limit);
  return Promise.resolve(
    found.map(({ _id, name }) => {
      const record = { _id, organizationId: _id, createdAt: null };
      return {
        ...resultOf('organization', record, name, [_id.toHexString()]),
        path: `/partners?${new URLSearchParams({ text: _id.toHexString() }).toString()}`,
      };
    }),
  );
};

/** Finds records by ids, phones, emails and names. */
export const recordSearches: readonly Search[] = [
  searchLeads,
  searchReservations,
  searchUnits,
  searchDeliveries,
  searchEndpoints,
  searchKeys,
  searchOrganizations,
];

const searchEvents: Search = async ({ services, ids, reference, limit }) => {
  const events = await services.events.findByRequests(ids, [reference], limit);
  return events.map((event) => {
    const id = objectIdOf(event) ?? '';
    const result = resultOf('event', event, event.type, [id]);
    return { ...result, path: eventPath(event.type, result.organizationId, id) };
  });
};

const searchCallbacks: Search = async ({ services, ids, reference, limit }) => {
  const found = await services.reservations.findByRequest(ids, reference, limit);
  return found.map((reservation) =>
    resultOf('reservation', reservation, reservation.recordSystemId ?? reservation._id, [
      reservation.status,
      deletedNote(reservation),
    ]),
  );
};

/** Finds records that a request with this id changed or named. */
export const requestSearches: readonly Search[] = [searchEvents, searchCallbacks];

export async function runSearches(
  searches: readonly Search[],
  query: Query,
): Promise<SearchResult[]> {
  const found = (await Promise.all(searches.map((search) => search(query)))).flat();
  return [...new Map(found.map((result) => [result.path ?? result.name, result])).values()];
}

function deletedNote({ isDeleted }: { readonly isDeleted?: boolean | null }): string | null {
  return isDeleted ? 'deleted' : null;
}
