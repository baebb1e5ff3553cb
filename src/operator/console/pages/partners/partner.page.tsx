import { Injectable } from '@nestjs/common';
import { RequestLogService } from '../../../requests/request-log.service.js';
import { PartnersService } from '../../../usage/partners.service.js';
import type { UsedOperations } from '../../../usage/used-operations.js';
import { UsageStatsService } from '../../../usage/usage-stats.service.js';
import { partnerFields } from '../../../views/partner.js';
import { requestFields } from '../../../views/request.js';
import { StepChoice, stepOf } from '../../charts/time-chart.js';
import { ScrollArea } from '../../layout/scroll-area.js';
import { CallsChart } from '../overview/call-charts.js';
import type { ConsolePage, PageContent, PageRequest } from '../page.js';
import { FieldList, FieldTable } from '../shared/fields.js';
import { Card, Code, DataTable, numeric, partOf } from '../shared/parts.js';

const requestsOnPage = 50;
const hours = Array.from({ length: 24 }, (_, hour) => hour);
const days = Array.from({ length: 7 }, (_, day) => day);
/** From none to most; the style sheet has a colour for each. */
const shades = 5;

/** One key: its calls, when it usually calls, and what is unusual now. */
@Injectable()
export class PartnerPage implements ConsolePage {
  readonly path = '/partners/:keyId';
  readonly title = 'partners.title';
  readonly isInMenu = false;

  constructor(
    private readonly partners: PartnersService,
    private readonly stats: UsageStatsService,
    private readonly requests: RequestLogService,
  ) {}

  async read(request: PageRequest): Promise<PageContent | null> {
    const { text, params } = request;
    const partner = await this.partners.find(params['keyId'] ?? '');
    if (partner === null) return null;
    const step = stepOf(request);
    const [series, errors, refused] = await Promise.all([
      this.stats.seriesOfKey(partner.keyId, step),
      this.stats.errorsOfKey(partner.keyId),
      this.requests.listOfKey(partner, partOf(request, 'requests', requestsOnPage)),
    ]);
    const body = (
      <>
        <Card title={text('shared.key')}>
          <FieldList
            request={request}
            fields={[
              ...partnerFields,
              {
                title: 'partners.may',
                kind: 'code',
                of: ({ operations }) => operations,
                note: ({ isUnrestricted }) => (isUnrestricted ? 'partners.byDefault' : null),
              },
              { title: 'partners.used', kind: 'code', of: ({ used }) => usedText(used) },
              { title: 'partners.missed', kind: 'number', of: ({ missedCalls }) => missedCalls },
              { title: 'partners.expires', kind: 'time', of: ({ expiresAt }) => expiresAt },
            ]}
            item={partner}
          />
        </Card>
        <Card title={text('overview.callsName')}>
          <StepChoice request={request} step={step} />
          <CallsChart {...{ request, step, series }} />
        </Card>
        <Card title={text('partners.errorsByCode')}>
          <DataTable
            request={request}
            label={text('partners.errorsByCode')}
            columns={[text('partners.code'), ...errors.days.map((day) => numeric(day))]}
            rows={errors.codes.map(({ code, counts }) => [<Code>{code}</Code>, ...counts])}
            ifEmpty={text('partners.noErrors')}
          />
        </Card>
        <FieldTable
          request={request}
          title={text('partners.requests')}
          caption={text('partners.requestsAbout')}
          fields={requestFields}
          items={refused.items}
          next={refused.next}
          part="requests"
        />
        <Card title={text('partners.habit')}>
          <p class="note">{habitText(partner.week, request)}</p>
          {partner.week.some((calls) => calls > 0) && (
            <ScrollArea label={text('partners.habit')}>
              <Week week={partner.week} request={request} />
            </ScrollArea>
          )}
        </Card>
      </>
    );
    return { body, heading: partner.name };
  }
}

/** As `leads.write 1200`, for each operation. */
function usedText(used: UsedOperations): string[] {
  return Object.entries(used).map(([operation, count]) => `${operation} ${count}`);
}

/** The usual calls by hour of the week; the darker, the more. */
function Week({
  week,
  request: { text, formats },
}: {
  readonly week: readonly number[];
  readonly request: PageRequest;
}) {
  const most = Math.max(...week, 1);
  return (
    <table class="week" aria-label={text('partners.habit')}>
      <thead>
        <tr>
          <th scope="col">{text('partners.hour')}</th>
          {days.map((day) => (
            <th key={day} scope="col">
              {formats.weekday(day)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {hours.map((hour) => (
          <tr key={hour}>
            <th scope="row">{hour}</th>
            {days.map((day) => {
              const calls = week[day * hours.length + hour] ?? 0;
              return (
                <td key={day} class={`number heat-${Math.ceil((calls / most) * shades)}`}>
                  {formats.number(calls)}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A week in words. */
export function habitText(week: readonly number[], { text, formats }: PageRequest): string {
  const most = Math.max(...week);
  if (most === 0) return text('partners.noHabit');
  const busiest = week.indexOf(most);
  return text('partners.habitText', {
    calls: formats.number(Math.round(week.reduce((sum, calls) => sum + calls, 0))),
    day: formats.weekday(Math.floor(busiest / hours.length)),
    hour: busiest % hours.length,
    most: formats.number(most),
  });
}
