import { exampleId, newCommand, newGroup } from '../command-line/command.js';
import * as parse from '../command-line/option-values.js';

export const catalogueCommands = {
  import: newCommand(
    'check a whole JSON or NDJSON file of compounds, phases, property types, unit designs, ' +
      'amenities and units, then store it; importing it again changes nothing',
    `catalogue.json --org ${exampleId}`,
  )
    .argument('<file>', 'path of the file')
    .requiredOption('--org <id>', parse.orgText, parse.name),
};

export const catalogueGroup = newGroup('catalog', 'import catalogues', catalogueCommands);
