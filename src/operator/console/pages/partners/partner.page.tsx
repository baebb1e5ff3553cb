import type { CodeCounts } from '../../../usage/usage-stats.service.js';
import { partnerFields, loggedRequestFields } from '../../../views/partner.js';
import { callLines } from '../../charts/call-lines.js';
import { type ChartLine, StepChoice, stepOf, TimeChart } from '../../charts/time-chart.js';
import { type ConsolePage, useReader } from '../page.js';
import { FieldList, FieldTable } from '../shared/fields.js';
import { Card, keysetRequestOf } from '../shared/parts.js';
import { usualWeekText } from './usual-week.js';

const codeColors = ['bad', 'warn', 'accent'] as const;

export const partnerPage: ConsolePage = {
  path: '/partners/:keyId',
  title: 'shared.key',
  async read(request) {
    const { text, params, services } = request;
    const partner = await services.partners.find(params['keyId'] ?? '');
    if (partner === null) return null;
    const step = stepOf(request);
    const [series, errors, refused] = await Promise.all([
      services.usage.seriesOfKey(partner.keyId, step),
      services.usage.errorsOfKey(partner.keyId, step),
      services.requestLog.listOfKey(partner, keysetRequestOf(request, 'requests')),
    ]);
    const body = (
      <>
        <FieldList
          title={text('shared.key')}
          fields={[
            ...partnerFields,
            {
              title: 'partners.habit',
              kind: 'text',
              of: ({ week }) => usualWeekText(request, week),
            },
          ]}
          item={partner}
        />
        <Card title={text('overview.callsName')}>
          <StepChoice />
          <TimeChart title="overview.callsName" steps={series} lines={callLines} />
          <ErrorsChart {...errors} />
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

function ErrorsChart({
  times,
  codes,
}: {
  readonly times: readonly Date[];
  readonly codes: readonly CodeCounts[];
}) {
  const { formats } = useReader();
  const rare = codes.slice(codeColors.length);
  const lines: ChartLine<{ readonly index: number }>[] = codeColors.flatMap((color, rank) => {
    const { code: name, counts } = codes[rank] ?? {};
    return name && counts ? [{ name, color, of: ({ index }) => counts[index] ?? 0 }] : [];
  });
  const others: (typeof lines)[number] = {
    title: 'partners.otherCodes',
    color: 'faint',
    of: ({ index }) => sum(rare.map(({ counts }) => counts[index] ?? 0)),
  };
  const totals = codes.map(({ code, counts }) => `${code} ${formats.number(sum(counts))}`);
  return (
    <TimeChart
      title="partners.errorsByCode"
      note={totals.join(' · ')}
      steps={times.map((at, index) => ({ at, index }))}
      lines={rare.length > 0 ? [...lines, others] : lines}
    />
  );
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
