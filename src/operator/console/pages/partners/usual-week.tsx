import type { Partner } from '../../../usage/partners.service.js';
import { Bars } from '../../charts/bars.js';
import { useReader } from '../page.js';

const hoursOfDay = 24;
const days = [0, 1, 2, 3, 4, 5, 6];

/** A bar for each hour from Monday; in words for screen readers, and for all where it is not brief. */
export function UsualWeek({
  week,
  isBrief = false,
}: Pick<Partner, 'week'> & { isBrief?: boolean }) {
  const { text, formats } = useReader();
  const most = Math.max(...week);
  if (most === 0) return isBrief ? <>–</> : <p class="note">{text('partners.noHabit')}</p>;
  const busiest = week.indexOf(most);
  const label = text('partners.habitText', {
    calls: Math.round(week.reduce((sum, calls) => sum + calls, 0)),
    day: formats.weekday(Math.floor(busiest / hoursOfDay)),
    hour: busiest % hoursOfDay,
    most,
  });
  const bars = <Bars label={label} series={[{ name: 'calls', color: 'accent', values: week }]} />;
  if (isBrief) return bars;
  return (
    <>
      <p class="note">{label}</p>
      <div class="plot">
        {bars}
        <div class="ticks" aria-hidden="true">
          {days.map((day) => (
            <span key={day}>{formats.weekday(day)}</span>
          ))}
        </div>
      </div>
    </>
  );
}
