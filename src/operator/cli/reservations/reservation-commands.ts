import {
  argument,
  type CommandGroup,
  declare,
  defaulting,
  exampleId,
  flag,
} from '../command-line/declaration.js';
import { textOption, listLimitOption, objectId, org } from '../command-line/option-values.js';

const id = argument('<id>', 'id of the reservation', objectId);
const exampleReservation = '6740b1f2c3d4e5f607182940';

export const reservationCommands = {
  show: declare({
    description: 'show a reservation: unit, status, wallet and the history of each cheque',
    example: exampleReservation,
    parameters: { id },
  }),
  callbacks: declare({
    description: 'list the callbacks of a reservation with their outcome, newest first',
    example: `${exampleReservation} --limit 10`,
    parameters: { id, limit: defaulting('<n>', 'how many to show at most', listLimitOption, 50) },
  }),
  reconcile: declare({
    description:
      "compare a partner's ledger of cheques (CSV with reservationId, installmentId, chequeStatus, " +
      'chequeNumber, chequeAmount) with what is stored; changes nothing',
    example: `ledger.csv --org ${exampleId} --complete --csv`,
    parameters: {
      file: argument('<file>', 'path of the CSV file', textOption),
      org,
      complete: flag('list the cheques that the ledger does not mention too'),
      csv: flag('print the differences as CSV'),
    },
  }),
};

export const reservations: CommandGroup = {
  name: 'reservation',
  description: 'show reservations and the effects of their callbacks',
  example: `callbacks ${exampleReservation}`,
  commands: reservationCommands,
};
