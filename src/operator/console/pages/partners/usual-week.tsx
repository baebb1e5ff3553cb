import type { Partner } from '../../../usage/partners.service.js';
import { Bars } from '../../charts/bars.js';
import type { Reader } from '../page.js';

const hoursOfDay = 24;

/** `week` begins on Monday. */
export function usualWeek({ week }: Partner, reader: Reader) {
  if (Math.max(...week) === 0) return '–';
  const series = [{ name: 'calls', color: 'accent', values: week }] as const;
  return <Bars label={usualWeekText(reader, week)} series={series} />;
}

export function usualWeekText({ text, formats }: Reader, week: readonly number[]): string {
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
