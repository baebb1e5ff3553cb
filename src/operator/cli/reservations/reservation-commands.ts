import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import { withApplication } from '../command-line/application.js';
import { addCommand, addPrintingCommand } from '../command-line/command-texts.js';
import { listLimit, objectId } from '../command-line/option-values.js';
import {
  type OutputOptions,
  printJson,
  printLine,
  printList,
  printItem,
} from '../command-line/output.js';
import { addReconcile } from './reconcile-command.js';
import { plainColumns } from '../../views/field.js';
import {
  callbackListFields,
  chequeFields,
  chequesOf,
  reportFields,
  reportsOf,
  reservationFields,
} from '../../views/reservation.js';

interface CallbacksOptions extends OutputOptions {
  readonly limit: number;
}

export function addReservationCommands(program: Command): void {
  const group = addCommand(program, {
    name: 'reservation',
    description: 'look at reservations and at what their callbacks did',
    example: 'reservation callbacks 6740b1f2c3d4e5f607182940',
  });
  addShow(group);
  addCallbacks(group);
  addReconcile(group);
}

function addShow(group: Command): void {
  addPrintingCommand(group, {
    name: 'show',
    description: 'show a reservation: unit, status, wallet and the history of each cheque',
    example: 'reservation show 6740b1f2c3d4e5f607182940',
  })
    .argument('<id>', 'id of the reservation', objectId)
    .action((id: string, options: OutputOptions) =>
      withApplication(async (application) => {
        const { Types } = await import('mongoose');
        const inspection = await inspectionOf(application);
        const reservation = await inspection.inspect(new Types.ObjectId(id));
        if (reservation === null) throw new Error(`There is no reservation with id ${id}.`);
        if (options.json === true) return printJson(reservation);
        printItem(reservation, plainColumns(reservationFields), options);
        printLine('');
        printList(chequesOf(reservation), plainColumns(chequeFields), options);
        printLine('');
        printList(reportsOf(reservation), plainColumns(reportFields), options);
      }),
    );
}

function addCallbacks(group: Command): void {
  addPrintingCommand(group, {
    name: 'callbacks',
    description: 'list the callbacks of a reservation with their outcome, newest first',
    example: 'reservation callbacks 6740b1f2c3d4e5f607182940 --limit 10',
  })
    .argument('<id>', 'id of the reservation', objectId)
    .option('--limit <n>', 'how many to show at most', listLimit, 50)
    .action((id: string, options: CallbacksOptions) =>
      withApplication(async (application) => {
        const { Types } = await import('mongoose');
        const inspection = await inspectionOf(application);
        const callbacks = await inspection.callbacks(new Types.ObjectId(id), options.limit);
        printList(callbacks, plainColumns(callbackListFields), options);
      }),
    );
}

async function inspectionOf(application: INestApplicationContext) {
  const { ReservationInspectionService } =
    await import('../../../reservations/reading/reservation-inspection.service.js');
  return application.get(ReservationInspectionService);
}
