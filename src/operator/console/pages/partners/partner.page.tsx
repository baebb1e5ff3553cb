import { Injectable } from '@nestjs/common';
import { RequestLogService } from '../../../requests/request-log.service.js';
import { PartnersService } from '../../../usage/partners.service.js';
import { type CodeCounts, UsageStatsService } from '../../../usage/usage-stats.service.js';
import { partnerFields, loggedRequestFields } from '../../../views/partner.js';
import { StepChoice, stepOf, TimeChart } from '../../charts/time-chart.js';
import { CallsChart } from '../overview/call-charts.js';
import {
  type ConsolePage,
  type PageContent,
  type PageRequest,
  type Reader,
  useReader,
} from '../page.js';
import { FieldList, FieldTable } from '../shared/fields.js';
import { Card, keysetRequestOf, ScrollArea } from '../shared/parts.js';

const requestsPerPage = 50;
const hours = Array.from({ length: 24 }, (_, hour) => hour);
const days = Array.from({ length: 7 }, (_, day) => day);
/** From none to most; the style sheet has a colour for each. */
const heatLevels = 5;
const codeColors = ['bad', 'warn', 'accent'] as const;

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
    const [series, errors, refused] = await Promise.all([
      this.stats.seriesOfKey(partner.keyId, stepOf(request)),
      this.stats.errorsOfKey(partner.keyId, stepOf(request)),
      this.requests.listOfKey(partner, keysetRequestOf(request, 'requests', requestsPerPage)),
    ]);
    const body = (
      <>
        <Card title={text('shared.key')}>
          <FieldList fields={partnerFields} item={partner} />
        </Card>
        <Card title={text('overview.callsName')}>
          <StepChoice />
          <CallsChart series={series} />
          <ErrorsChart {...errors} />
        </Card>
        <FieldTable
          title={text('partners.requests')}
          caption={text('partners.requestsAbout')}
          fields={loggedRequestFields}
          items={refused.items}
          next={refused.next}
          part="requests"
        />
        <Card title={text('partners.habit')}>
          <p class="note">{weekText(partner.week, request)}</p>
          {partner.week.some((calls) => calls > 0) && (
            <ScrollArea label={text('partners.habit')}>
              <Week week={partner.week} />
            </ScrollArea>
          )}
        </Card>
      </>
    );
    return { body, heading: partner.name };
  }
}

/** Refused requests by error code, the rare codes together. */
function ErrorsChart({
  times,
  codes,
}: {
  readonly times: readonly Date[];
  readonly codes: readonly CodeCounts[];
}) {
  const { text, formats } = useReader();
  const rare = codes.slice(codeColors.length);
  const series = codeColors.flatMap((color, index) => {
    const { code, counts } = codes[index] ?? {};
    return code === undefined || counts === undefined ? [] : { name: code, color, values: counts };
  });
  const others = {
    name: text('partners.otherCodes'),
    color: 'faint' as const,
    values: times.map((_, step) => sum(rare.map(({ counts }) => counts[step] ?? 0))),
  };
  const totals = codes.map(({ code, counts }) => `${code} ${formats.number(sum(counts))}`);
  return (
    <TimeChart
      title={text('partners.errorsByCode')}
      note={totals.join(', ') || undefined}
      times={times}
      series={rare.length > 0 ? [...series, others] : series}
    />
  );
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

function Week({ week }: { readonly week: readonly number[] }) {
  const { text, formats } = useReader();
  const maxCalls = Math.max(...week, 1);
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
                <td key={day} class={`number heat-${Math.ceil((calls / maxCalls) * heatLevels)}`}>
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

export function weekText(week: readonly number[], { text, formats }: Reader): string {
  const most = Math.max(...week);
  if (most === 0) return text('partners.noHabit');
  const busiest = week.indexOf(most);
  return text('partners.habitText', {
    calls: formats.number(Math.round(sum(week))),
    day: formats.weekday(Math.floor(busiest / hours.length)),
    hour: busiest % hours.length,
    most: formats.number(most),
  });
}
