import type { DailyStats } from '../../../usage/usage-stats.service.js';
import { TimeChart } from '../../charts/time-chart.js';
import { ScrollArea } from '../../layout/scroll-area.js';
import type { PageRequest } from '../page.js';

type Reader = Pick<PageRequest, 'text' | 'formats'>;

/** Calls and errors by minute. */
export function CallsChart({
  day,
  request,
}: {
  readonly day: DailyStats;
  readonly request: Reader;
}) {
  const { text, formats } = request;
  const { minutes, total } = day;
  const busiest = minutes.reduce<(typeof minutes)[number] | undefined>(
    (most, minute) => (most === undefined || minute.calls > most.calls ? minute : most),
    undefined,
  );
  const title = text('overview.callsChart');
  const description = text('overview.callsChartText', {
    calls: formats.number(total.calls),
    refused: formats.number(total.errors - total.failures),
    failed: formats.number(total.failures),
    most: formats.number(busiest?.calls ?? 0),
    at: formats.clock(busiest?.at ?? new Date(0)),
  });
  return (
    <>
      <h3>{title}</h3>
      <ScrollArea label={title}>
        <TimeChart
          id="calls"
          texts={{ title, description }}
          times={minutes.map(({ at }) => at)}
          kind="stacked"
          formats={formats}
          series={[
            {
              name: text('overview.answered'),
              color: 'accent',
              values: minutes.map(({ calls, errors }) => calls - errors),
            },
            {
              name: text('overview.refused'),
              color: 'warn',
              values: minutes.map(({ errors, failures }) => errors - failures),
            },
            {
              name: text('overview.failed'),
              color: 'bad',
              values: minutes.map(({ failures }) => failures),
            },
          ]}
        />
      </ScrollArea>
    </>
  );
}

/** How long responses took, by minute. */
export function LatencyChart({
  day: { minutes, total },
  request: { text, formats },
}: {
  readonly day: DailyStats;
  readonly request: Reader;
}) {
  const title = text('overview.latencyChart');
  const description = text('overview.latencyChartText', {
    median: formats.number(total.medianMs ?? 0),
    p95: formats.number(total.p95Ms ?? 0),
  });
  return (
    <>
      <h3>{title}</h3>
      <ScrollArea label={title}>
        <TimeChart
          id="latency"
          texts={{ title, description }}
          times={minutes.map(({ at }) => at)}
          kind="lines"
          formats={formats}
          height={160}
          series={[
            {
              name: text('overview.p95'),
              color: 'warn',
              values: minutes.map(({ p95Ms }) => p95Ms),
            },
            {
              name: text('overview.median'),
              color: 'accent',
              values: minutes.map(({ medianMs }) => medianMs),
            },
          ]}
        />
      </ScrollArea>
    </>
  );
}

/** Attempts to deliver webhooks, by minute. */
export function DeliveriesChart({
  day: { minutes, deliveries },
  request: { text, formats },
}: {
  readonly day: DailyStats;
  readonly request: Reader;
}) {
  const title = text('overview.deliveriesChart');
  const description = text('overview.deliveriesChartText', {
    delivered: formats.number(deliveries.delivered),
    failed: formats.number(deliveries.failed),
  });
  return (
    <>
      <h3>{title}</h3>
      <ScrollArea label={title}>
        <TimeChart
          id="deliveries"
          texts={{ title, description }}
          times={minutes.map(({ at }) => at)}
          kind="stacked"
          formats={formats}
          height={120}
          series={[
            {
              name: text('overview.delivered'),
              color: 'good',
              values: minutes.map((minute) => minute.deliveries.delivered),
            },
            {
              name: text('overview.undelivered'),
              color: 'bad',
              values: minutes.map((minute) => minute.deliveries.failed),
            },
          ]}
        />
      </ScrollArea>
    </>
  );
}
