import { withinDeadline } from '../../../../core/database/connection/database-errors.js';
import { rangeOf } from '../../components/chart.js';
import type { PageRequest } from '../../page.js';
import { attemptPoints } from '../webhooks/attempt-series.js';

const maxWaitMs = 2_000;
/** Further problems of a kind are only mentioned. */
export const maxProblems = 10;

export type SystemState = Awaited<ReturnType<typeof readSystemState>>;

/** Parts are null if the database did not respond in time. */
export async function readSystemState(request: PageRequest) {
  const { services, deadlineMs } = request;
  const range = rangeOf(request);
  const { route } = request.query;
  const waitMs = Math.min(maxWaitMs, deadlineMs / 2);
  const orNull = async <T>(work: Promise<T>): Promise<T | null> =>
    withinDeadline(work, waitMs).catch(() => null);
  const [hasPrimary, partners, endpoints, calls, attempts, routes, deliveries, events] =
    await Promise.all([
      services.database.hasPrimary(waitMs),
      orNull(services.partners.needingAttention(maxProblems)),
      orNull(services.webhookStatistics.failingEndpoints(maxProblems)),
      orNull(services.usage.series(range, { route })),
      orNull(attemptPoints(request, range)),
      orNull(services.usage.routes(services.usage.startOf(range))),
      orNull(services.webhookStatistics.deliveryBacklog()),
      orNull(services.webhookStatistics.eventBacklog()),
    ]);
  const attention = { partners, endpoints, deliveries, events };
  // A chart of a long time may be slow without any problem.
  const isKnown = hasPrimary && Object.values(attention).every((part) => part !== null);
  return { ...attention, calls, attempts, routes, range, route, hasPrimary, isKnown };
}
