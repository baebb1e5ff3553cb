import type { Partner } from '../../../usage/partners.service.js';
import { WeekHeatMap } from '../../charts/week-heat-map.js';
import type { PageRequest } from '../page.js';

const hours = 24;

/** The calls of a partner by hour of the week, as a picture that also says it in words. */
export function PartnerHabit({
  partner: { keyId, name, week },
  request: { text, formats },
  size,
}: {
  readonly partner: Partner;
  readonly request: PageRequest;
  readonly size: 'small' | 'large';
}) {
  const most = Math.max(...week);
  const busiest = week.indexOf(most);
  const description = text('partners.habitText', {
    calls: formats.number(Math.round(week.reduce((sum, calls) => sum + calls, 0))),
    day: formats.weekday(Math.floor(busiest / hours)),
    hour: busiest % hours,
    most: formats.number(most),
  });
  const texts = { title: text('partners.habitOf', { name }), description };
  return (
    <WeekHeatMap id={`habit-${keyId}`} texts={texts} week={week} formats={formats} size={size} />
  );
}
