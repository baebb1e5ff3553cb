import { Injectable } from '@nestjs/common';
import { type Partner, PartnersService } from '../../../usage/partners.service.js';
import { type KeyFigure, KeyFigures } from '../../layout/key-figures.js';
import { ScrollArea } from '../../layout/scroll-area.js';
import type { ConsolePage, PageContent, PageRequest } from '../page.js';
import { Card, DataTable, numeric } from '../shared/parts.js';
import { PartnerHabit } from './partner-habit.js';
import { PartnerState } from './partner-state.js';

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
    const figures: KeyFigure[] = [
      { name: text('partners.day'), value: formats.number(partner.calls) },
      { name: text('partners.usual'), value: formats.number(partner.usualCalls) },
      { name: text('partners.errors'), value: formats.number(partner.errors) },
      { name: text('partners.lastCall'), value: formats.time(partner.lastCallAt) },
      { name: text('partners.missed'), value: formats.number(partner.missedCalls) },
    ];
    const title = text('partners.habitOf', { name: partner.name });
    const body = (
      <>
        <p>
          {partner.organizationName} · <PartnerState state={partner.state} text={text} />
        </p>
        <KeyFigures figures={figures} />
        <Card title={title}>
          <ScrollArea label={title}>
            <PartnerHabit partner={partner} request={request} size="large" />
          </ScrollArea>
          <details>
            <summary>{text('partners.table')}</summary>
            <HabitTable partner={partner} request={request} />
          </details>
        </Card>
      </>
    );
    return { body, heading: partner.name };
  }
}

function HabitTable({
  partner: { week },
  request,
}: {
  readonly partner: Partner;
  readonly request: PageRequest;
}) {
  const { text, formats } = request;
  return (
    <DataTable
      request={request}
      label={text('partners.table')}
      columns={[text('partners.weekday'), ...hours.map((hour) => numeric(String(hour)))]}
      rows={days.map((day) => [
        formats.weekday(day),
        ...hours.map((hour) => week[day * hours.length + hour] ?? 0),
      ])}
    />
  );
}
