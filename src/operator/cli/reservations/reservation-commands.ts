import { Option } from '@commander-js/extra-typings';
import { reservationStatuses } from '../../../reservations/reservation-status.js';
import { exampleId, newCommand, newGroup } from '../command-line/command.js';
import * as parse from '../command-line/option-values.js';

const reservationText = 'id of the reservation, or its external id (recordSystemId)';
const exampleReservation = '6740b1f2c3d4e5f607182940';

export const reservationCommands = {
  list: newCommand(
    'list the reservations of an organization with their units, leads and cheques, newest first',
    `--org ${exampleId} --status approved`,
  )
    .requiredOption('--org <id>', parse.orgText, parse.name)
    .addOption(
      new Option('--status <status>', 'only reservations with this status').choices(
        reservationStatuses,
      ),
    )
    .option(
      '--unit <unit>',
      'only of this unit: id, external id, slug or unit ID',
      parse.externalId,
    )
    .option('--lead <lead>', 'only of this lead: id, external id or number', parse.externalId)
    .option('--limit <n>', parse.limitText, parse.limit, 50),
  show: newCommand(
    'show a reservation: unit, status, wallet and the history of each cheque',
    exampleReservation,
  ).argument('<id>', reservationText, parse.externalId),
  callbacks: newCommand(
    'list the callbacks of a reservation with their outcome, newest first, and the ' +
      'reservations that block it',
    `${exampleReservation} --limit 10`,
  )
    .argument('<id>', reservationText, parse.externalId)
    .option('--limit <n>', parse.limitText, parse.limit, 50),
  reconcile: newCommand(
    "compare a partner's ledger of cheques (CSV with reservationId, installmentId, chequeStatus, " +
      'chequeNumber, chequeAmount) with what is stored; changes nothing',
    `ledger.csv --org ${exampleId} --complete --csv`,
  )
    .argument('<file>', 'path of the CSV file')
    .requiredOption('--org <id>', parse.orgText, parse.name)
    .option('--complete', 'also list cheques that the ledger does not mention')
    .option('--csv', 'print the differences as CSV'),
};

export const reservationGroup = newGroup(
  'reservation',
  'list and show reservations and the effects of their callbacks',
  reservationCommands,
);
