import type { Types } from 'mongoose';
import { parseObjectId } from '../../../../core/database/documents/tenant-document.js';
import { textIn } from '../../../../core/localization/language.js';
import { objectIdOf } from '../../../../events/outbox/message.js';
import type { Organization } from '../../../../tenants/organizations/organization.js';
import { eventPath, recordPath } from '../../../views/field.js';
import type { PageRequest } from '../page.js';
import { maskedUrl } from '../shared/masking.js';

interface Query {
  readonly organizations: readonly Organization[];
  readonly ids: readonly Types.ObjectId[];
  readonly reference: string;
  readonly limit: number;
}

type Id = Types.ObjectId | string;

/** A record that a reference may mean, and how it differs from others. */
export type SearchResult = ReturnType<typeof result>;

function result(
  kind: 'lead' | 'reservation' | 'unit' | 'delivery' | 'endpoint' | 'key' | 'event',
  record: { readonly _id: Id; organizationId: Id; createdAt: Date | string | null },
  name: string,
  details: readonly (string | null | undefined)[],
) {
  const organizationId = String(record.organizationId);
  const path = recordPath(kind, organizationId, String(record._id));
  return { kind, organizationId, name, path, details, createdAt: record.createdAt };
}

/** Each finds records of one kind by whatever names them: ids, phones, emails, request ids, keys. */
const searches: readonly ((request: PageRequest, query: Query) => Promise<SearchResult[]>)[] = [
  async ({ services }, { organizations, reference, limit }) => {
    const leads = await services.leads.search(organizations, reference, limit);
    return leads.map((lead) =>
      result('lead', lead, String(lead.leadId), [lead.recordSystemId, deleted(lead)]),
    );
  },
  async ({ services }, { ids, reference, limit }) => {
    const [named, changed] = await Promise.all([
      services.reservations.search(ids, reference),
      services.reservations.ofRequest(ids, reference, limit),
    ]);
    return [...named, ...changed].map((one) =>
      result('reservation', one, one.recordSystemId ?? one._id, [one.status, deleted(one)]),
    );
  },
  async ({ services, language }, { ids, reference, limit }) => {
    const units = await services.units.search(ids, reference, limit);
    return units.map((unit) => {
      const compound = textIn(unit.compound, language) || unit.compoundId;
      const { _id, unitId, slug, status } = unit;
      return result('unit', unit, unitId || slug || _id, [compound, slug, status]);
    });
  },
  async ({ services }, { ids, reference, limit }) => {
    const events = await services.events.ofRequests(ids, [reference], limit);
    return events.map((event) => {
      const name = objectIdOf(event) ?? '';
      const shown = result('event', event, name, [event.type]);
      return { ...shown, path: eventPath(event.type, shown.organizationId, name) };
    });
  },
  async ({ services }, { ids, reference, limit }) => {
    const deliveries = await services.deliveries.search(ids, reference, limit);
    const shown = deliveries.map(async (delivery) => {
      const endpoint = await services.endpoints.show(delivery.endpointId);
      const details = [delivery.type, delivery.status, endpoint && maskedUrl(endpoint.shown.url)];
      return result('delivery', delivery, String(delivery._id), details);
    });
    return Promise.all(shown);
  },
  async ({ services }, { reference }) => {
    const id = parseObjectId(reference);
    const endpoint = id && (await services.endpoints.show(id));
    if (endpoint === null) return [];
    const { shown } = endpoint;
    return [result('endpoint', shown, shown._id, [maskedUrl(shown.url)])];
  },
  async ({ services }, { ids, reference }) => {
    const keys = await services.keys.search(ids, reference);
    return keys.map((key) =>
      result('key', key, key.name || String(key._id), [key.prefix, services.keys.stateOf(key)]),
    );
  },
];

function deleted({ isDeleted }: { readonly isDeleted?: boolean | null }): string | null {
  return isDeleted ? 'deleted' : null;
}

/** Searches all organizations. */
export async function findRecords(
  request: PageRequest,
  organizations: readonly Organization[],
  reference: string,
  limit: number,
): Promise<SearchResult[]> {
  if (organizations.length === 0) return [];
  const ids = organizations.map(({ _id }) => _id);
  const query = { organizations, ids, reference, limit };
  const found = (await Promise.all(searches.map((search) => search(request, query)))).flat();
  return [...new Map(found.map((one) => [one.path ?? one.name, one])).values()];
}
