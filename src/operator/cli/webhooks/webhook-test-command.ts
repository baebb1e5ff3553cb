import type { Command } from 'commander';
import { type AttemptResult, isSuccess } from '../../../webhooks/deliveries/delivery-outcome.js';
import { withApplication } from '../command-line/application.js';
import { addPrintingCommand, exampleId } from '../command-line/command-texts.js';
import { logged } from '../command-line/logged.js';
import { objectId } from '../command-line/option-values.js';
import { type Columns, type OutputOptions, printItem } from '../command-line/output.js';
import { endpointOf } from './webhook-view.js';

const pingColumns: Columns<ReturnType<typeof pingView>> = {
  Delivered: ({ delivered }) => (delivered ? 'yes' : 'no'),
  Status: ({ statusCode }) => statusCode,
  Milliseconds: ({ milliseconds }) => milliseconds,
  Response: ({ response }) => response,
  Error: ({ error }) => error,
};

/** Adds `webhook test`. */
export function addTestCommand(group: Command): void {
  addPrintingCommand(group, {
    name: 'test',
    description: "send a ping and show the receiver's response; the exit code is 1 when it fails",
    example: `webhook test ${exampleId}`,
  })
    .argument('<id>', 'id of the endpoint', objectId)
    .action((id: string, options: OutputOptions) =>
      withApplication(async (application) => {
        const { document: endpoint } = await endpointOf(application, id);
        const { WebhookPingService } =
          await import('../../../webhooks/sending/webhook-ping.service.js');
        const pings = application.get(WebhookPingService);
        const testing = { action: 'test', subject: 'endpoint', to: endpoint } as const;
        const view = pingView(await logged(application, testing, () => pings.ping(endpoint)));
        printItem(view, pingColumns, options);
        if (!view.delivered) process.exitCode = 1;
      }),
    );
}

function pingView(result: AttemptResult) {
  const { statusCode, milliseconds, response, error } = result;
  return { delivered: isSuccess(result), statusCode, milliseconds, response, error };
}
