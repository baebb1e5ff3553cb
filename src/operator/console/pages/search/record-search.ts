import type { Types } from 'mongoose';
import { parseObjectId } from '../../../../core/database/documents/tenant-document.js';
import { textIn } from '../../../../core/localization/language.js';
import { objectIdOf } from '../../../../events/outbox/message.js';
import type { FoundReservation } from '../../../../reservations/reading/reservation-lookup.service.js';
import type { Organization } from '../../../../tenants/organizations/organization.js';
import { eventPath, recordPath } from '../../../views/field.js';
import type { PageRequest } from '../page.js';
import { maskedUrl } from '../shared/masking.js';

/** A record that a reference may mean, and how it differs from others. */
export interface SearchResult {
  readonly kind: 'lead' | 'reservation' | 'unit' | 'delivery' | 'endpoint' | 'key' | 'event';
  readonly organizationId: string;
  readonly name: string;
  readonly path: string | null;
  readonly details: readonly (string | null | undefined)[];
  readonly createdAt: Date | string | null;
}

type Search = (
  request: PageRequest,
  ids: readonly Types.ObjectId[],
  reference: string,
  limit: number,
) => Promise<SearchResult[]>;

/** Finds records of all organizations by whatever names them: ids, phones, emails, request ids, keys. */
export async function findRecords(
  request: PageRequest,
  organizations: readonly Organization[],
  reference: string,
  limit: number,
): Promise<SearchResult[]> {
  if (organizations.length === 0) return [];
  const ids = organizations.map(({ _id }) => _id);
  const searches = [events, reservations, units, deliveries, endpoints, keys];
  const found = await Promise.all([
    leads(request, organizations, reference, limit),
    ...searches.map((search) => search(request, ids, reference, limit)),
  ]);
  const results = found.flat();
  return [...new Map(results.map((result) => [result.path ?? result.name, result])).values()];
}

async function leads(
  { services }: PageRequest,
  organizations: readonly Organization[],
  reference: string,
  limit: number,
): Promise<SearchResult[]> {
  const found = await services.leads.search(organizations, reference, limit);
  return found.map(({ _id, organizationId, leadId, recordSystemId, isDeleted, createdAt }) => ({
    kind: 'lead',
    organizationId,
    name: String(leadId),
    path: recordPath('lead', organizationId, _id),
    details: [recordSystemId, isDeleted ? 'deleted' : null],
    createdAt,
  }));
}

const reservations: Search = async ({ services }, ids, reference, limit) => {
  const [named, changed] = await Promise.all([
    services.reservations.search(ids, reference),
    services.reservations.ofRequest(ids, reference, limit),
  ]);
  return [...named, ...changed].map((reservation: FoundReservation) => {
    const { _id, organizationId, recordSystemId, status, isDeleted, createdAt } = reservation;
    return {
      kind: 'reservation',
      organizationId,
      name: recordSystemId ?? _id,
      path: recordPath('reservation', organizationId, _id),
      details: [status, isDeleted ? 'deleted' : null],
      createdAt,
    };
  });
};

const units: Search = async ({ services, language }, ids, reference, limit) => {
  const found = await services.units.search(ids, reference, limit);
  return found.map(({ _id, organizationId, slug, unitId, compound, ...unit }) => ({
    kind: 'unit',
    organizationId,
    name: unitId || slug || _id,
    path: recordPath('unit', organizationId, _id),
    details: [textIn(compound, language) || unit.compoundId, slug, unit.status],
    createdAt: unit.createdAt,
  }));
};

const events: Search = async ({ services }, ids, requestId, limit) => {
  const found = await services.events.ofRequests(ids, [requestId], limit);
  return found.map((event) => {
    const organizationId = event.organizationId.toHexString();
    const name = objectIdOf(event) ?? '';
    const path = eventPath(event.type, organizationId, name);
    const { createdAt } = event;
    return { kind: 'event', organizationId, name, path, details: [event.type], createdAt };
  });
};

const deliveries: Search = async ({ services }, ids, reference, limit) => {
  const found = await services.deliveries.search(ids, reference, limit);
  return Promise.all(
    found.map(async ({ _id, organizationId, endpointId, type, status, createdAt }) => {
      const endpoint = await services.endpoints.show(endpointId);
      const name = _id.toHexString();
      return {
        kind: 'delivery' as const,
        organizationId: organizationId.toHexString(),
        name,
        path: `/webhooks/deliveries/${name}`,
        details: [type, status, endpoint && maskedUrl(endpoint.shown.url)],
        createdAt,
      };
    }),
  );
};

const endpoints: Search = async ({ services }, _ids, reference) => {
  const id = parseObjectId(reference);
  const endpoint = id && (await services.endpoints.show(id));
  if (endpoint === null) return [];
  const { _id: name, organizationId, url, createdAt } = endpoint.shown;
  const path = `/webhooks/${name}`;
  return [{ kind: 'endpoint', organizationId, name, path, details: [maskedUrl(url)], createdAt }];
};

const keys: Search = async ({ services }, ids, reference) => {
  const found = await services.keys.search(ids, reference);
  return found.map((key) => {
    const id = key._id.toHexString();
    return {
      kind: 'key',
      organizationId: key.organizationId.toHexString(),
      name: key.name || id,
      path: `/partners/${id}`,
      details: [key.prefix, services.keys.stateOf(key)],
      createdAt: key.createdAt,
    };
  });
};
