import {
  argument,
  type CommandGroup,
  defineCommand,
  exampleId,
  flag,
  option,
  org,
} from '../command-line/command-definition.js';
import * as parse from '../command-line/option-values.js';

const reservation = argument(
  '<id>',
  'id of the reservation, or its external id (recordSystemId)',
  parse.externalId,
);
const exampleReservation = '6740b1f2c3d4e5f607182940';

export const reservationCommands = {
  show: defineCommand({
    description: 'show a reservation: unit, status, wallet and the history of each cheque',
    example: exampleReservation,
    parameters: { reservation },
  }),
  callbacks: defineCommand({
    description:
      'list the callbacks of a reservation with their outcome, newest first, and the ' +
      'reservations that block it',
    example: `${exampleReservation} --limit 10`,
    parameters: { reservation, limit: option('<n>', 'maximum number of results', parse.limit, 50) },
  }),
  reconcile: defineCommand({
    description:
      "compare a partner's ledger of cheques (CSV with reservationId, installmentId, chequeStatus, " +
      'chequeNumber, chequeAmount) with what is stored; changes nothing',
    example: `ledger.csv --org ${exampleId} --complete --csv`,
    parameters: {
      file: argument('<file>', 'path of the CSV file', parse.text),
      org,
      complete: flag('also list cheques that the ledger does not mention'),
      csv: flag('print the differences as CSV'),
    },
  }),
};

export const reservationGroup: CommandGroup = {
  name: 'reservation',
  description: 'show reservations and the effects of their callbacks',
  commands: reservationCommands,
};
