import type { ComponentChildren } from 'preact';
import type { Types } from 'mongoose';
import { parseObjectId } from '../../../core/database/documents/tenant-document.js';
import { localizedText } from '../../../core/localization/language.js';
import { objectIdOf } from '../../../events/outbox/message.js';
import type { Organization } from '../../../tenants/organizations/organization.js';
import { eventPath, recordPath } from '../../views/view-field.js';
import type { ConsolePage, PageContent, PageRequest, Redirect } from './page.js';
import { FieldTable } from './shared/tables.js';
import { maskedUrl } from './shared/masking.js';
import { namesOf } from './shared/organizations.js';
import { Form, Link } from './shared/components.js';

const maxResults = 50;

/**
 * Searches every kind of record in all organizations, and opens a single result. The form posts the reference,
 * because a phone number must not be part of an address.
 */
export const searchPage: ConsolePage = {
  path: '/search',
  title: 'search.title',
  isInMenu: true,
  actions: { '': search },
  read: (request) => Promise.resolve(contentWith(request, null)),
};

async function search(request: PageRequest): Promise<PageContent | Redirect> {
  const { text, form, services } = request;
  const reference = (form['reference'] ?? '').trim();
  const organizations = await services.organizations.listByName();
  const results = await findRecords(request, organizations, reference);
  const [first] = results;
  if (first === undefined) return contentWith(request, <p>{text('search.none')}</p>);
  if (results.length === 1 && first.path !== null) return { redirectTo: first.path };
  const names = namesOf(organizations);
  return contentWith(
    request,
    <FieldTable<SearchResult>
      title={text('search.results')}
      fields={[
        {
          title: 'lead.name',
          show: ({ path, name }) => (path === null ? name : <Link to={path}>{name}</Link>),
        },
        { title: 'shared.type', kind: 'status', of: ({ kind }) => `record.${kind}` as const },
        {
          title: 'log.details',
          kind: 'text',
          of: ({ details }) => details.filter(Boolean).join(' · '),
        },
        {
          title: 'shared.organization',
          kind: 'text',
          of: ({ organizationId }) => names.get(organizationId) ?? organizationId,
          note: ({ organizationId }) => organizationId,
        },
        { title: 'shared.created', kind: 'time', of: ({ createdAt }) => createdAt },
      ]}
      items={results}
      limit={maxResults}
    />,
  );
}

function contentWith({ form, text }: PageRequest, result: ComponentChildren): PageContent {
  const body = (
    <>
      <Form to="/search" label={text('search.title')} class="card search" role="search" isPrimary>
        <p>
          <label for="reference">{text('search.reference')}</label>
          <input
            id="reference"
            name="reference"
            value={form['reference'] ?? ''}
            required
            maxLength={1_024}
            autocomplete="off"
            aria-describedby="reference-hint"
          />
          <small id="reference-hint">{text('search.hint')}</small>
        </p>
      </Form>
      <div role="status">{result}</div>
    </>
  );
  return { body };
}

interface Query {
  readonly organizations: readonly Organization[];
  readonly ids: readonly Types.ObjectId[];
  readonly reference: string;
  readonly limit: number;
}

type Id = Types.ObjectId | string;

type SearchResult = ReturnType<typeof resultOf>;

function resultOf(
  kind: 'lead' | 'reservation' | 'unit' | 'delivery' | 'endpoint' | 'key' | 'event',
  record: { readonly _id: Id; organizationId: Id; createdAt: Date | string | null },
  name: string,
  details: readonly (string | null | undefined)[],
) {
  const organizationId = String(record.organizationId);
  const path = recordPath(kind, organizationId, String(record._id));
  return { kind, organizationId, name, path, details, createdAt: record.createdAt };
}

/** Each finds one kind of record by ids, phones, emails, request ids or keys. */
const searches: readonly ((request: PageRequest, query: Query) => Promise<SearchResult[]>)[] = [
  async ({ services }, { organizations, reference, limit }) => {
    const leads = await services.leads.search(organizations, reference, limit);
    return leads.map((lead) =>
      resultOf('lead', lead, String(lead.leadId), [lead.recordSystemId, deletedNote(lead)]),
    );
  },
  async ({ services }, { ids, reference, limit }) => {
    const [named, changed] = await Promise.all([
      services.reservations.search(ids, reference),
      services.reservations.findByRequest(ids, reference, limit),
    ]);
    return [...named, ...changed].map((one) =>
      resultOf('reservation', one, one.recordSystemId ?? one._id, [one.status, deletedNote(one)]),
    );
  },
  async ({ services, language }, { ids, reference, limit }) => {
    const units = await services.units.search(ids, reference, limit);
    return units.map((unit) => {
      const compound = localizedText(unit.compound, language) || unit.compoundId;
      const { _id, unitId, slug, status } = unit;
      return resultOf('unit', unit, unitId || slug || _id, [compound, slug, status]);
    });
  },
  async ({ services }, { ids, reference, limit }) => {
    const events = await services.events.findByRequests(ids, [reference], limit);
    return events.map((event) => {
      const name = objectIdOf(event) ?? '';
      const shown = resultOf('event', event, name, [event.type]);
      return { ...shown, path: eventPath(event.type, shown.organizationId, name) };
    });
  },
  async ({ services }, { ids, reference, limit }) => {
    const deliveries = await services.deliveries.search(ids, reference, limit);
    const shown = deliveries.map(async (delivery) => {
      const endpoint = await services.endpoints.inspect(delivery.endpointId);
      const details = [delivery.type, delivery.status, endpoint && maskedUrl(endpoint.shown.url)];
      return resultOf('delivery', delivery, String(delivery._id), details);
    });
    return Promise.all(shown);
  },
  async ({ services }, { reference }) => {
    const id = parseObjectId(reference);
    const endpoint = id && (await services.endpoints.inspect(id));
    if (endpoint === null) return [];
    const { shown } = endpoint;
    return [resultOf('endpoint', shown, shown._id, [maskedUrl(shown.url)])];
  },
  async ({ services }, { ids, reference }) => {
    const keys = await services.keys.search(ids, reference);
    return keys.map((key) =>
      resultOf('key', key, key.name || String(key._id), [key.prefix, services.keys.stateOf(key)]),
    );
  },
];

function deletedNote({ isDeleted }: { readonly isDeleted?: boolean | null }): string | null {
  return isDeleted ? 'deleted' : null;
}

async function findRecords(
  request: PageRequest,
  organizations: readonly Organization[],
  reference: string,
): Promise<SearchResult[]> {
  if (organizations.length === 0 || reference === '') return [];
  const ids = organizations.map(({ _id }) => _id);
  const query = { organizations, ids, reference, limit: maxResults + 1 };
  const found = (await Promise.all(searches.map((one) => one(request, query)))).flat();
  return [...new Map(found.map((one) => [one.path ?? one.name, one])).values()];
}
