import type { Command } from 'commander';
import type { ImportOutcome } from '../../catalogue-import/catalogue-imports.service.js';
import { withApplication } from '../command-line/application.js';
import { addCommand, addPrintingCommand, exampleId } from '../command-line/command-texts.js';
import { readTextFile } from '../command-line/files.js';
import { name } from '../command-line/option-values.js';
import { withProgress } from '../command-line/progress.js';
import { organizationOf } from '../organizations/organization-view.js';
import {
  type Columns,
  type OutputOptions,
  counted,
  printJson,
  printList,
} from '../command-line/output.js';

interface ImportOptions extends OutputOptions {
  readonly org: string;
}

const importTexts = {
  counted: 'entries stored',
  remedy: 'Import the file again to store the rest.',
};

const importErrorColumns: Columns<ImportOutcome['errors'][number]> = {
  Location: ({ location }) => location,
  Error: ({ message }) => message,
};

const countColumns: Columns<ImportOutcome['counts'][number]> = {
  Entries: ({ kind }) => kind,
  Created: ({ created }) => created,
  Updated: ({ updated }) => updated,
  Unchanged: ({ unchanged }) => unchanged,
};

export function addCatalogueCommands(program: Command): void {
  const example = `catalog import catalogue.json --org ${exampleId}`;
  const group = addCommand(program, { name: 'catalog', description: 'import catalogues', example });
  addPrintingCommand(group, {
    name: 'import',
    description:
      'check a whole JSON or NDJSON file of compounds, phases, property types, unit designs, ' +
      'amenities and units, then store it; importing it again changes nothing',
    example,
  })
    .argument('<file>', 'path of the file')
    .requiredOption('--org <id>', 'id or name of the organization', name)
    .action((file: string, options: ImportOptions) =>
      withApplication(async (application) => {
        const { CatalogueImportsService } =
          await import('../../catalogue-import/catalogue-imports.service.js');
        const { _id } = await organizationOf(application, options.org);
        const text = await readTextFile(file);
        const outcome = await withProgress(importTexts, (progress) =>
          application.get(CatalogueImportsService).import(_id, text, progress),
        );
        print(outcome, options);
      }),
    );
}

function print(outcome: ImportOutcome, options: OutputOptions): void {
  const { errors, counts } = outcome;
  // Programs read these keys of the JSON output.
  const faults = errors.map(({ location, message }) => ({ place: location, message }));
  if (options.json === true) printJson({ faults, counts });
  else if (errors.length > 0) printList(errors, importErrorColumns, options);
  else printList(counts, countColumns, options);
  if (errors.length === 0) return;
  throw new Error(`The file has ${counted(errors.length, 'fault')}, nothing was stored.`);
}
