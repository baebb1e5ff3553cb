import { Injectable } from '@nestjs/common';
import { type Partner, PartnersService } from '../../../usage/partners.service.js';
import { partnerFields } from '../../../views/partner.js';
import { WeekHeatMap } from '../../charts/week-heat-map.js';
import { ScrollArea } from '../../layout/scroll-area.js';
import type { ConsolePage, PageContent, PageRequest } from '../page.js';
import { FieldList } from '../shared/fields.js';
import { Card, DataTable, numeric } from '../shared/parts.js';

const hours = Array.from({ length: 24 }, (_, hour) => hour);
const days = Array.from({ length: 7 }, (_, day) => day);

/** One key: when it usually calls and what is unusual now. */
@Injectable()
export class PartnerPage implements ConsolePage {
  readonly path = '/partners/:keyId';
  readonly title = 'partners.title';
  readonly isInMenu = false;

  constructor(private readonly partners: PartnersService) {}

  async read(request: PageRequest): Promise<PageContent | null> {
    const { text, formats, params } = request;
    const partner = await this.partners.find(params['keyId'] ?? '');
    if (partner === null) return null;
    const { name, week } = partner;
    const title = text('partners.habitOf', { name });
    const body = (
      <>
        <FieldList
          request={request}
          fields={[
            ...partnerFields,
            { title: 'partners.missed', kind: 'number', of: ({ missedCalls }) => missedCalls },
          ]}
          item={partner}
        />
        <Card title={title}>
          <ScrollArea label={title}>
            <PartnerHabit partner={partner} request={request} size="large" />
          </ScrollArea>
          <details>
            <summary>{text('partners.table')}</summary>
            <DataTable
              request={request}
              label={text('partners.table')}
              columns={[text('partners.weekday'), ...hours.map((hour) => numeric(String(hour)))]}
              rows={days.map((day) => [
                formats.weekday(day),
                ...hours.map((hour) => week[day * hours.length + hour] ?? 0),
              ])}
            />
          </details>
        </Card>
      </>
    );
    return { body, heading: name };
  }
}

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
    day: formats.weekday(Math.floor(busiest / hours.length)),
    hour: busiest % hours.length,
    most: formats.number(most),
  });
  const texts = { title: text('partners.habitOf', { name }), description };
  return <WeekHeatMap id={`habit-${keyId}`} {...{ texts, week, formats, size }} />;
}
