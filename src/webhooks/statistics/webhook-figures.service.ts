import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { firstHour, hourlyFigures, type HourFigures } from './hourly-figures.js';
import { WebhookFiguresRepository } from './webhook-figures.repository.js';

/** How deliveries to an endpoint went, hour by hour, oldest first; the last hour is under way. */
export interface EndpointFigures {
  readonly hours: readonly HourFigures[];
}

const hoursOfDay = 24;

/** How deliveries to endpoints went, for the operator. */
@Injectable()
export class WebhookFiguresService {
  constructor(
    private readonly figures: WebhookFiguresRepository,
    private readonly clock: Clock,
  ) {}

  /** The last 24 hours of endpoints, by their ids in hexadecimal. */
  async lastDay(
    endpoints: readonly { readonly _id: string; readonly organizationId: string }[],
  ): Promise<ReadonlyMap<string, EndpointFigures>> {
    const now = this.clock.now();
    const found = await this.figures.since(
      idsOf(endpoints.map(({ organizationId }) => organizationId)),
      idsOf(endpoints.map(({ _id }) => _id)),
      firstHour(now, hoursOfDay),
    );
    const byEndpoint = Map.groupBy(found, ({ endpointId }) => endpointId.toHexString());
    return new Map(
      endpoints.map(({ _id }) => {
        return [_id, { hours: hourlyFigures(byEndpoint.get(_id) ?? [], now, hoursOfDay) }];
      }),
    );
  }
}

function idsOf(ids: readonly string[]): Types.ObjectId[] {
  return [...new Set(ids)].map((id) => new Types.ObjectId(id));
}
