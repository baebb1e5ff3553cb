import { Types } from 'mongoose';
import { parseTime } from '../../../../core/values/time.js';
import type { Cause } from '../../../request-log/request-log.service.js';
import type { Partner } from '../../../usage/partners.service.js';
import type { UsagePoint } from '../../../usage/usage.service.js';
import { partnerFields, partnerState } from '../../../views/partner.js';
import { CallCharts } from '../../components/call-charts.js';
import { RangeChoices, rangeOf } from '../../components/chart.js';
import {
  Alert,
  Badge,
  Card,
  Copyable,
  keysetRequestOf,
  Link,
  pathWith,
  Time,
} from '../../components/components.js';
import { Filter } from '../../components/filters.js';
import { formatNumber } from '../../components/formats.js';
import { RequestList } from '../../components/request-list.js';
import { FieldList, type PageField, TableCard } from '../../components/tables.js';
import { type ConsolePage, type PageRequest, useRenderContext } from '../../page.js';

const refreshSeconds = 60;
/** The page's heading has these fields. */
const inHeader: ReadonlySet<string> = new Set(['Organization', 'State', 'Last call']);

/** Answers why a partner's requests are refused or have less effect than expected. */
export const partnerPage: ConsolePage = {
  path: '/partners/:keyId',
  title: 'Key',
  async read(request) {
    const { params, services } = request;
    const partner = await services.partners.find(params['keyId'] ?? '');
    if (partner === null) return null;
    const range = rangeOf(request);
    const { REQUEST_LOG_DAYS } = services.environment;
    const since = services.usage.startOf(range);
    const [calls, causes, requests] = await Promise.all([
      services.usage.series(range, { keyId: new Types.ObjectId(partner.keyId) }),
      services.requestLog.causesOfKey(partner, since),
      services.requestLog.listOfKey(
        partner,
        requestFilterOf(request),
        keysetRequestOf(request, 'requests'),
      ),
    ]);
    const body = (
      <>
        <div class="mb-3">
          <RangeChoices />
        </div>
        <Leads points={calls} />
        <Reduction {...partner} />
        <TableCard
          title="Why requests were refused, or did less than expected"
          fields={causeFields}
          items={causes}
          empty={noCauses(calls)}
        />
        <RequestList
          title="Requests"
          note={`Refused ones, and accepted ones of which something was ignored, of the last ${REQUEST_LOG_DAYS} days`}
          filter={<RequestFilter codes={causes.map(({ code }) => code)} />}
          {...requests}
        />
        <CallCharts range={range} points={calls} />
        <Card title="Key">
          <FieldList
            fields={partnerFields.filter(({ title }) => !inHeader.has(title))}
            item={partner}
          />
        </Card>
      </>
    );
    const [state, severity] = partnerState(partner);
    return {
      heading: partner.name || partner.keyId,
      summary: (
        <>
          {partner.organizationName} <Badge severity={severity}>{state}</Badge> last call{' '}
          <Time time={partner.lastCallAt} />
        </>
      ),
      refreshSeconds,
      body,
    };
  },
};

/** @throws Error with status 400 for a time that is none */
function requestFilterOf({ query }: PageRequest) {
  const { code } = query;
  const [since, until] = ['since', 'until'].map((name) => {
    const text = query[name] ?? '';
    const time =
      text === ''
        ? undefined
        : parseTime(/T.*(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`);
    if (time !== null) return time;
    throw Object.assign(new Error(`${name} is not a time.`), { statusCode: 400 });
  });
  return { ...(code && { code }), ...(since && { since }), ...(until && { until }) };
}

function Leads({ points }: { readonly points: readonly UsagePoint[] }) {
  const leads = points.reduce((sum, point) => sum + point.leads, 0);
  const mostlyIgnored = points.reduce((sum, point) => sum + point.mostlyIgnored, 0);
  if (mostlyIgnored === 0) return null;
  return (
    <Alert severity="warn">
      Of {formatNumber(leads)} requests with leads that were accepted, {formatNumber(mostlyIgnored)}{' '}
      lost at least half of their fields, because the service does not know their names.
    </Alert>
  );
}

const causeFields: readonly PageField<Cause>[] = [
  {
    title: 'Code',
    show: ({ code }, context) => (
      <Link to={pathWith(context, { code, requests: null })}>
        <code>{code}</code>
      </Link>
    ),
  },
  { title: 'Requests', kind: 'number', of: ({ count }) => count },
  {
    title: 'What it means',
    show: ({ meaning, ignoredFields = [] }) => (
      <>
        {meaning?.replaceAll('`', '')}
        {ignoredFields.length > 0 && (
          <>
            {' '}
            <code>{ignoredFields.join(', ')}</code>
          </>
        )}
      </>
    ),
  },
  { title: 'What to do', show: ({ remedy }) => remedy?.replaceAll('`', '') ?? '–' },
  { title: 'Last', kind: 'time', of: ({ lastAt }) => lastAt },
  {
    title: 'Example',
    show: ({ example }) => (example === null ? '–' : <Copyable value={example.requestId} />),
  },
];

function RequestFilter({ codes }: { readonly codes: readonly string[] }) {
  const { query } = useRenderContext();
  const { code = '' } = query;
  return (
    <Filter label="Filter requests" keeps={['range']}>
      <select class="form-select w-auto" name="code" aria-label="Code">
        <option value="">Every code</option>
        {[...new Set([...codes, ...(code === '' ? [] : [code])])].map((listed) => (
          <option key={listed} value={listed} selected={listed === code}>
            {listed}
          </option>
        ))}
      </select>
      {(['since', 'until'] as const).map((name) => (
        <label key={name}>
          {name === 'since' ? 'From' : 'Until'} (UTC){' '}
          <input
            class="form-control w-auto d-inline-block"
            type="datetime-local"
            name={name}
            value={query[name] ?? ''}
          />
        </label>
      ))}
    </Filter>
  );
}

/** The command line changes permissions; the console only says how. */
function Reduction({ isReducible, unusedOperations, usedOperations, operations, keyId }: Partner) {
  if (!isReducible) return null;
  const used = usedOperations.flatMap(({ operation }) =>
    operations.includes(operation) && !unusedOperations.includes(operation) ? operation : [],
  );
  return (
    <Alert severity="note">
      This key may do what it has not done for four weeks: {unusedOperations.join(', ')}. To permit
      only what it uses:{' '}
      <Copyable value={`npm run cli -- key update ${keyId} --operations ${used.join(',')}`} />
    </Alert>
  );
}

function noCauses(points: readonly UsagePoint[]): readonly [string, string] {
  const errors = points.reduce((sum, { refused, failed }) => sum + refused + failed, 0);
  return errors === 0
    ? ['Nothing was refused', 'Every reason is listed here by its code, with its remedy.']
    : [
        `The reasons of ${formatNumber(errors)} refused requests are not known`,
        'They were counted before the service kept reasons.',
      ];
}
