import type { Command } from 'commander';
import { plainColumns } from '../../views/field.js';
import { requestFields } from '../../views/request.js';
import { withApplication } from '../command-line/application.js';
import { addPrintingCommand } from '../command-line/command-texts.js';
import { listLimit } from '../command-line/option-values.js';
import { type OutputOptions, printList } from '../command-line/output.js';
import { findSingleKey, keysOf } from './key-lookup.js';

interface RequestsOptions extends OutputOptions {
  readonly limit: number;
}

export function addRequests(group: Command): void {
  addPrintingCommand(group, {
    name: 'requests',
    description:
      'list requests of a key that were refused, and accepted ones with ignored fields, newest first',
    example: 'key requests iapi_4fT9xQ --limit 20',
  })
    .argument('<id-or-prefix>', 'id of the key, or the prefix that is shown of it')
    .option('--limit <n>', 'how many to show at most', listLimit, 50)
    .action((idOrPrefix: string, options: RequestsOptions) =>
      withApplication(async (application) => {
        const { RequestLogService } = await import('../../requests/request-log.service.js');
        const key = await findSingleKey(await keysOf(application), idOrPrefix);
        const requests = application.get(RequestLogService);
        const [organizationId, keyId] = [key.organizationId.toHexString(), key._id.toHexString()];
        const { items } = await requests.listOfKey({ organizationId, keyId }, options);
        printList(items, plainColumns(requestFields), options);
      }),
    );
}
