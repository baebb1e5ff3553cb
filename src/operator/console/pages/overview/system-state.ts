import { withinDeadline } from '../../../../core/database/connection/database-errors.js';
import { intervalOf } from '../../charts/time-chart.js';
import type { PageRequest } from '../page.js';

const maxEndpoints = 50;
const maxWaitMs = 2_000;

export type SystemState = Awaited<ReturnType<typeof readSystemState>>;

/** Parts are null if the database did not respond in time. */
export async function readSystemState(request: PageRequest) {
  const { services, deadlineMs } = request;
  const waitMs = Math.min(maxWaitMs, deadlineMs / 2);
  const orNull = async <T>(work: Promise<T>): Promise<T | null> =>
    withinDeadline(work, waitMs).catch(() => null);
  const [hasPrimary, partners, endpoints, day, series, organizations, deliveries, events] =
    await Promise.all([
      services.database.hasPrimary(waitMs),
      orNull(services.partners.list()),
      orNull(services.webhookStatistics.failingEndpoints(maxEndpoints)),
      orNull(services.usage.lastDay()),
      orNull(services.usage.series(intervalOf(request))),
      orNull(services.organizations.listByName()),
      orNull(services.webhookStatistics.deliveryBacklog()),
      orNull(services.webhookStatistics.eventBacklog()),
    ]);
  const connections = services.database.poolUsage();
  const known = { partners, endpoints, day, series, organizations };
  const isKnown = hasPrimary && Object.values(known).every((part) => part !== null);
  const isComplete = isKnown && deliveries !== null && events !== null;
  return { ...known, hasPrimary, deliveries, events, connections, isKnown, isComplete };
}
