import type { Command } from 'commander';
import type { ListedEvent } from '../../../events/outbox/event-history.service.js';
import { withApplication } from '../command-line/application.js';
import { addPrintingCommand, exampleId } from '../command-line/command-texts.js';
import { listLimit, name } from '../command-line/option-values.js';
import { type Columns, type OutputOptions, printList } from '../command-line/output.js';
import { organizationOf } from '../organizations/organization-view.js';

interface EventsOptions extends OutputOptions {
  readonly org: string;
  readonly failed?: boolean;
  readonly limit: number;
}

const columns: Columns<ReturnType<typeof eventView>> = {
  Id: ({ _id }) => _id,
  Event: ({ type }) => type,
  Created: ({ createdAt }) => createdAt,
  Relayed: ({ relayedAt }) => relayedAt,
  Request: ({ requestId }) => requestId,
  Failure: ({ failureReason }) => failureReason,
};

/** Adds `webhook events`. */
export function addEventsCommand(group: Command): void {
  addPrintingCommand(group, {
    name: 'events',
    description: 'list the events of an organization, newest first, or those set aside as faulty',
    example: `webhook events --org ${exampleId} --failed`,
  })
    .requiredOption('--org <id>', 'id or name of the organization', name)
    .option('--failed', 'only those that could not be relayed, with the reason')
    .option('--limit <n>', 'how many at most', listLimit, 50)
    .action((options: EventsOptions) =>
      withApplication(async (application) => {
        const { EventHistoryService } =
          await import('../../../events/outbox/event-history.service.js');
        const { _id } = await organizationOf(application, options.org);
        const { failed = false, limit } = options;
        const events = await application.get(EventHistoryService).list(_id, { failed, limit });
        printList(events.map(eventView), columns, options);
      }),
    );
}

function eventView({
  _id,
  type,
  createdAt,
  numberedAt,
  requestId,
  failureReason = null,
}: ListedEvent) {
  return {
    _id: _id.toHexString(),
    type,
    createdAt,
    relayedAt: numberedAt ?? null,
    requestId: requestId ?? null,
    failureReason,
  };
}
