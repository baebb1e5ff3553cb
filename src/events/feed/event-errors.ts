import { errorDefinitions } from '../../core/errors/domain-error.js';

export const eventErrors = errorDefinitions('events', {
  expired: {
    status: 410,
    code: 'events.expired',
    sample: { next: 1_233 },
    cause: 'The next events are older than the retention period',
    remedy:
      'Read the current state by `GET /leads`, `/reservations`, `/compounds` and `/units`, then ' +
      'continue with the `after` in the message and in `x-next-cursor`',
  },
  beyondLast: {
    status: 400,
    code: 'events.beyond_last',
    sample: { last: 1_301 },
    isList: true,
    cause: '`after` is larger than the number of the last event',
    remedy: 'Send the `next` of the previous response, or 0 for the oldest event that is kept',
  },
});
