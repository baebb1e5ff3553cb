import type { ErrorCounts } from '../../../usage/usage-stats.service.js';
import { partnerFields, loggedRequestFields } from '../../../views/partner.js';
import { callSeries } from '../../charts/chart-series.js';
import { type ChartSeries, IntervalNav, intervalOf, TimeChart } from '../../charts/time-chart.js';
import type { ConsolePage } from '../page.js';
import { FieldList, FieldTable } from '../shared/tables.js';
import { Card, keysetRequestOf } from '../shared/components.js';
import { usualWeekText } from './usual-week.js';

const codeColors = ['bad', 'warn', 'accent'] as const;

export const partnerPage: ConsolePage = {
  path: '/partners/:keyId',
  title: 'shared.key',
  async read(request) {
    const { text, params, services } = request;
    const partner = await services.partners.find(params['keyId'] ?? '');
    if (partner === null) return null;
    const interval = intervalOf(request);
    const [calls, errors, refused] = await Promise.all([
      services.usage.seriesOfKey(partner.keyId, interval),
      services.usage.errorsOfKey(partner.keyId, interval),
      services.requestLog.listOfKey(partner, {}, keysetRequestOf(request, 'requests')),
    ]);
    const body = (
      <>
        <FieldList
          title={text('shared.key')}
          fields={[
            ...partnerFields,
            {
              title: 'partners.usualWeek',
              kind: 'text',
              of: ({ week }) => usualWeekText(request, week),
            },
          ]}
          item={partner}
        />
        <Card title={text('overview.callsName')}>
          <IntervalNav />
          <TimeChart title="overview.callsName" data={calls} series={callSeries} />
          <TimeChart title="partners.errorsByCode" data={errors} series={errorSeries(errors)} />
        </Card>
        <FieldTable
          title={text('partners.requests')}
          caption={text('partners.requestsAbout')}
          fields={loggedRequestFields}
          {...refused}
          part="requests"
        />
      </>
    );
    return { body, name: partner.name };
  },
};

/** Combines all but the most frequent codes. */
function errorSeries(counts: readonly ErrorCounts[]): ChartSeries<ErrorCounts>[] {
  const totals = new Map<string, number>();
  for (const [code, count] of counts.flatMap(({ codes }) => [...codes]))
    totals.set(code, (totals.get(code) ?? 0) + count);
  const names = [...totals].toSorted(([, a], [, b]) => b - a).map(([name]) => name);
  const rare = names.slice(codeColors.length);
  const top: ChartSeries<ErrorCounts>[] = names.slice(0, codeColors.length).map((name, rank) => ({
    name,
    color: codeColors[rank] ?? 'faint',
    of: ({ codes }) => codes.get(name) ?? 0,
  }));
  const others: (typeof top)[number] = {
    title: 'partners.otherCodes',
    color: 'faint',
    of: ({ codes }) => rare.reduce((sum, name) => sum + (codes.get(name) ?? 0), 0),
  };
  return rare.length > 0 ? [...top, others] : top;
}
