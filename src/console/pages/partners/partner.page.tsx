import { Injectable } from '@nestjs/common';
import { type Partner, PartnersService } from '../../../figures/partners.service.js';
import { type KeyFigure, KeyFigures } from '../../layout/key-figures.js';
import { ScrollArea } from '../../layout/scroll-area.js';
import type { ConsolePage, PageContent, PageRequest } from '../page.js';
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

  async read(reader: PageRequest): Promise<PageContent | null> {
    const { text, formats, params } = reader;
    const partner = await this.partners.find(params['keyId'] ?? '');
    if (partner === null) return null;
    const usual = partner.usualCalls;
    const figures: KeyFigure[] = [
      { name: text('partners.day'), value: formats.number(partner.calls) },
      {
        name: text('partners.usual'),
        value: usual === null ? '–' : formats.number(Math.round(usual)),
      },
      { name: text('partners.errors'), value: formats.number(partner.errors) },
      {
        name: text('partners.lastCall'),
        value: formats.time(partner.lastUsedAt ?? partner.lastHour),
      },
      {
        name: text('partners.missed'),
        value: formats.number(Math.round(partner.missedCalls)),
      },
    ];
    const title = text('partners.habitOf', { name: partner.name });
    const body = (
      <>
        <p>
          {partner.organizationName} · <PartnerState state={partner.state} text={text} />
        </p>
        <KeyFigures figures={figures} />
        <section class="card">
          <h2>{title}</h2>
          <ScrollArea label={title}>
            <PartnerHabit partner={partner} reader={reader} size="large" />
          </ScrollArea>
          <details>
            <summary>{text('partners.table')}</summary>
            <HabitTable partner={partner} reader={reader} />
          </details>
        </section>
      </>
    );
    return { body, heading: partner.name };
  }
}

function HabitTable({
  partner: { week },
  reader: { text, formats },
}: {
  readonly partner: Partner;
  readonly reader: PageRequest;
}) {
  return (
    <ScrollArea label={text('partners.table')}>
      <table>
        <thead>
          <tr>
            <th scope="col">{text('partners.weekday')}</th>
            {hours.map((hour) => (
              <th key={hour} scope="col" class="number">
                {hour}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.map((day) => (
            <tr key={day}>
              <th scope="row">{formats.weekday(day)}</th>
              {hours.map((hour) => (
                <td key={hour} class="number">
                  {formats.number(week[day * hours.length + hour] ?? 0)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollArea>
  );
}
