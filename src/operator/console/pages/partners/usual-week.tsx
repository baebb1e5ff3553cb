import type { Partner } from '../../../usage/partners.service.js';
import { Bars } from '../../charts/bars.js';
import type { RenderContext } from '../page.js';

const hoursOfDay = 24;

/** `week` begins on Monday. */
export function usualWeek({ week }: Partner, context: RenderContext) {
  if (Math.max(...week) === 0) return '–';
  const series = [{ name: 'calls', color: 'accent', values: week }] as const;
  return <Bars label={usualWeekText(context, week)} series={series} />;
}

export function usualWeekText({ text, formats }: RenderContext, week: readonly number[]): string {
  const most = Math.max(...week);
  const busiest = week.indexOf(most);
  if (most === 0) return text('partners.noUsualWeek');
  return text('partners.usualWeekText', {
    calls: Math.round(week.reduce((sum, calls) => sum + calls, 0)),
    day: formats.weekday(Math.floor(busiest / hoursOfDay)),
    hour: busiest % hoursOfDay,
    most,
  });
}
