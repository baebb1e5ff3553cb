import {
  CatalogueImportsService,
  type ImportOutcome,
} from '../../catalogue-import/catalogue-imports.service.js';
import type { ActionsOf } from '../command-line/declaration.js';
import { readTextFile } from '../command-line/files.js';
import { logged } from '../command-line/logged.js';
import { type Columns, counted, printJson, printList } from '../command-line/output.js';
import { withProgress } from '../command-line/progress.js';
import { organizationOf } from '../organizations/organization-view.js';
import type { catalogueCommands } from './catalogue-commands.js';

const importTexts = {
  counted: 'entries stored',
  remedy: 'Import the file again to store the rest.',
};

const errorColumns: Columns<ImportOutcome['errors'][number]> = {
  Location: ({ location }) => location,
  Error: ({ message }) => message,
};

const countColumns: Columns<ImportOutcome['counts'][number]> = {
  Entries: ({ kind }) => kind,
  Created: ({ created }) => created,
  Updated: ({ updated }) => updated,
  Unchanged: ({ unchanged }) => unchanged,
};

export const actions: ActionsOf<typeof catalogueCommands> = {
  import: async (application, { file, org, ...output }) => {
    const { _id } = await organizationOf(application, org);
    const text = await readTextFile(file);
    const to = { _id, organizationId: _id };
    const importing = {
      action: 'import',
      subject: 'organization',
      to,
      details: 'catalogue',
    } as const;
    const { errors, counts } = await logged(application, importing, () =>
      withProgress(importTexts, (progress) =>
        application.get(CatalogueImportsService).import(_id, text, progress),
      ),
    );
    // Programs read these keys of the JSON output.
    const faults = errors.map(({ location, message }) => ({ place: location, message }));
    if (output.json === true) printJson({ faults, counts });
    else if (errors.length > 0) printList(errors, errorColumns, output);
    else printList(counts, countColumns, output);
    if (errors.length === 0) return;
    throw new Error(`The file has ${counted(errors.length, 'fault')}, nothing was stored.`);
  },
};
