import { parseObjectId } from '../../../../core/database/documents/tenant-document.js';
import type { IdentifiedRequest } from '../../../request-log/request-log.service.js';
import { callbackListFields } from '../../../views/reservation.js';
import { Card, Empty, Link } from '../../components/components.js';
import { RequestList } from '../../components/request-list.js';
import { type PageField, TableCard } from '../../components/tables.js';
import type { ConsolePage, PageContent, PageRequest, Redirect } from '../../page.js';
import {
  type Query,
  recordSearches,
  requestSearches,
  runSearches,
  type SearchResult,
} from './searches.js';

const maxResults = 50;
/** Browsers keep the titles of pages, which must not contain a phone. */
const heading = 'Search results';

/** The form posts the reference, because a phone number must not be part of an address. */
export const searchPage: ConsolePage = {
  path: '/search',
  title: 'Search',
  actions: { '': search },
  read: () => Promise.resolve({ body: <Explanation /> }),
};

/** Looks for records first, then for requests with this id, and opens a single result. */
async function search(request: PageRequest): Promise<PageContent | Redirect> {
  const { form, services } = request;
  const reference = (form['reference'] ?? '').trim();
  if (reference === '') return { body: <Explanation /> };
  const organizations = await services.organizations.listByName();
  const ids = organizations.map(({ _id }) => _id);
  const query = { services, organizations, ids, reference, limit: maxResults };
  const [records, requests] = await Promise.all([
    runSearches(recordSearches, query),
    services.requestLog.findByRequestId(reference),
  ]);
  if (records.length > 0) return recordsContent(query, records, requests);
  return requestsContent(query, requests);
}

function recordsContent(
  query: Query,
  records: readonly SearchResult[],
  requests: readonly IdentifiedRequest[],
): PageContent | Redirect {
  const [first, ...others] = records;
  const isSingle = requests.length + others.length === 0;
  if (isSingle && first?.path) return { redirectTo: first.path };
  const body = (
    <>
      {requests.length > 0 && <RequestList title="Requests with this id" items={requests} />}
      <Results records={records} query={query} />
    </>
  );
  return { heading, summary: <Reference {...query} />, body };
}

async function requestsContent(
  query: Query,
  requests: readonly IdentifiedRequest[],
): Promise<PageContent | Redirect> {
  const { services, reference, ids, limit } = query;
  const id = parseObjectId(reference);
  const [records, callbacks] = await Promise.all([
    // Requests are named by words or UUIDs.
    id === null ? runSearches(requestSearches, query) : [],
    id === null ? [] : services.reservations.listCallbacks(ids, id, limit),
  ]);
  const [record, ...others] = records;
  const isSingle = requests.length + callbacks.length + others.length === 0;
  if (isSingle && record?.path) return { redirectTo: record.path };
  const keyIds = [
    ...requests.map(({ keyId }) => keyId),
    ...callbacks.map(({ apiKeyId }) => apiKeyId),
  ];
  const keys =
    keyIds.length === 0
      ? []
      : await services.keys.findByIds(keyIds.flatMap((keyId) => parseObjectId(keyId) ?? []));
  const keyNames = new Map(keys.map(({ _id, name }) => [_id.toHexString(), name]));
  const organizations = new Map(
    query.organizations.map(({ _id, name }) => [_id.toHexString(), name]),
  );
  const named = callbacks.map((callback) => ({
    ...callback,
    organizationName: organizations.get(callback.organizationId) ?? callback.organizationId,
    keyName: keyNames.get(callback.apiKeyId) ?? callback.apiKeyId,
  }));
  const isNothing = [requests, records, callbacks].every(({ length }) => length === 0);
  const body = (
    <>
      {isNothing && (
        <Card>
          <Empty title="Nothing was found">
            <NotKept />
          </Empty>
        </Card>
      )}
      {requests.length > 0 && (
        <RequestList
          title="Requests with this id"
          note={
            <>
              By{' '}
              {keys.map(({ _id, name }) => (
                <Link key={String(_id)} to={`/partners/${_id.toHexString()}`}>
                  {name || _id.toHexString()}
                </Link>
              ))}
            </>
          }
          items={requests}
        />
      )}
      {records.length > 0 && (
        <Results title="What the request changed" records={records} query={query} />
      )}
      {callbacks.length > 0 && (
        <TableCard
          title="Callbacks that named this reservation"
          note="There is no reservation with this id. Compare it with the _id of the reservation."
          fields={callbackListFields}
          items={named}
          empty={['', '']}
        />
      )}
    </>
  );
  return { heading, summary: <Reference {...query} />, body };
}

function Reference({ reference }: Query) {
  return (
    <>
      for <bdi>{reference}</bdi>
    </>
  );
}

function Results({
  title,
  records,
  query: { organizations },
}: {
  readonly title?: string;
  readonly records: readonly SearchResult[];
  readonly query: Query;
}) {
  const names = new Map(organizations.map(({ _id, name }) => [_id.toHexString(), name]));
  const fields: readonly PageField<SearchResult>[] = [
    {
      title: 'Name',
      show: ({ path, name }) => (path === null ? name : <Link to={path}>{name}</Link>),
    },
    { title: 'Kind', kind: 'text', of: ({ kind }) => kind },
    { title: 'Details', kind: 'text', of: ({ details }) => details.filter(Boolean).join(' · ') },
    {
      title: 'Organization',
      kind: 'text',
      of: ({ organizationId }) => names.get(organizationId) ?? organizationId,
    },
    { title: 'Created', kind: 'time', of: ({ createdAt }) => createdAt },
  ];
  return (
    <TableCard
      label="Results"
      {...(title !== undefined && { title })}
      fields={fields}
      items={records.slice(0, maxResults)}
      hasMore={records.length >= maxResults}
      empty={['', '']}
    />
  );
}

function Explanation() {
  return (
    <Card>
      <Empty title="One box for everything">
        Enter an id, number or external id of a lead, reservation or unit; a phone or an email in
        any spelling; the id of a request, delivery, event, endpoint or key; the name of a key or an
        organization; or a part of an endpoint’s URL.
      </Empty>
    </Card>
  );
}

function NotKept() {
  return (
    <>
      The request log keeps only refused requests and requests with ignored fields, at most 1,000 a
      day for each key, for REQUEST_LOG_DAYS. A request appears a few seconds after its response.
      Requests without a valid key are only in the log of the service. To find what an accepted
      request changed, search for the record.
    </>
  );
}
