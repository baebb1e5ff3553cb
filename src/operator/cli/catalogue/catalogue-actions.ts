import { CatalogueImportsService } from '../../catalogue-import/catalogue-imports.service.js';
import type { CommandActions } from '../command-line/command.js';
import { readTextFile } from '../command-line/files.js';
import { withProgress } from '../command-line/progress.js';
import { pluralize, list } from '../command-line/result.js';
import type { catalogueCommands } from './catalogue-commands.js';

const importTexts = {
  counted: 'entries stored',
  remedy: 'Import the file again to store the rest.',
};

export const actions: CommandActions<typeof catalogueCommands> = {
  import: async (context, file, { org }) => {
    const { _id } = await context.organization(org);
    const text = await readTextFile(file);
    const work = () =>
      withProgress(importTexts, (progress) =>
        context.get(CatalogueImportsService).import(_id, text, progress),
      );
    const { errors, counts } = await context.audit('catalogue.import', { _id }, work);
    // Programs read these keys of the JSON output, so they must not change.
    const faults = errors.map(({ location, message }) => ({ place: location, message }));
    const json = { faults, counts };
    if (errors.length === 0) return list(counts, undefined, json);
    const failure = `The file has ${pluralize(errors.length, 'error')}. Nothing was stored.`;
    return { ...list(errors, undefined, json), failure };
  },
};
