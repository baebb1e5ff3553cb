import { CommaList, EachItem, WholeNumber } from '../../core/validation/query-fields.js';
import { subscriptions } from '../outbox/event-types.js';

export const maxWaitSeconds = 25;

export class EventsQuery {
  @WholeNumber({
    minimum: 0,
    default: 0,
    description:
      'Value of next from the previous response; later events are returned. 0 begins with the oldest event ' +
      'that is kept.',
  })
  after?: string;

  @WholeNumber({
    minimum: 1,
    maximum: 1_000,
    default: 100,
    description: 'Maximum number of events of a page.',
  })
  limit?: string;

  @CommaList(
    'Only events of these types, such as lead.created, lead.* or *.',
    `(?:${subscriptions.map((type) => type.replaceAll(/[.*]/g, String.raw`\$&`)).join('|')})`,
    EachItem('isIn', isSubscription, { values: subscriptions.join(', ') }),
  )
  types?: string;

  @WholeNumber({
    minimum: 0,
    maximum: maxWaitSeconds,
    default: 0,
    description: 'Maximum number of seconds to wait while there is no event.',
  })
  wait?: string;
}

function isSubscription(type: string): boolean {
  return subscriptions.some((known) => known === type);
}
