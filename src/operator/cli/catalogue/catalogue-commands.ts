import {
  argument,
  type CommandGroup,
  defineCommand,
  exampleId,
  org,
} from '../command-line/command-definition.js';
import * as parse from '../command-line/option-values.js';

const example = `catalogue.json --org ${exampleId}`;

export const catalogueCommands = {
  import: defineCommand({
    description:
      'check a whole JSON or NDJSON file of compounds, phases, property types, unit designs, ' +
      'amenities and units, then store it; importing it again changes nothing',
    example,
    parameters: { file: argument('<file>', 'path of the file', parse.text), org },
  }),
};

export const catalogueGroup: CommandGroup = {
  name: 'catalog',
  description: 'import catalogues',
  commands: catalogueCommands,
};
