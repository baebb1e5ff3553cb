import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { UnitReservationsModule } from './unit-reservations.module.js';
import { IdempotencyModule } from '../core/idempotency/idempotency.module.js';
import { LeadsModule } from '../leads/leads.module.js';
import { UnitsModule } from '../units/units.module.js';
import { EventsModule } from '../events/events.module.js';
import { CallbackLogRepository } from './callback/callback-log.repository.js';
import { callbackLogSchema } from './callback/callback-log.schema.js';
import { CallbacksService } from './callback/callbacks.service.js';
import { chequeWalletSchema } from './cheques/cheque-wallet.schema.js';
import { ChequeWalletsRepository } from './cheques/cheque-wallets.repository.js';
import { ChequesController } from './due-cheques/cheques.controller.js';
import { DueChequesRepository } from './due-cheques/due-cheques.repository.js';
import { DueChequesService } from './due-cheques/due-cheques.service.js';
import { ReservationListsRepository } from './reading/reservation-lists.repository.js';
import { ReservationListsService } from './reading/reservation-lists.service.js';
import { ReservationLookupService } from './reading/reservation-lookup.service.js';
import { ReconciliationsService } from './reconciliation/reconciliations.service.js';
import { ReservationStateService } from './reservation-state.service.js';
import { ReservationsController } from './reservations.controller.js';
import { ReservationsRepository } from './reservations.repository.js';
import { ReservationUpsertsService } from './upsert/reservation-upserts.service.js';

@Module({
  imports: [
    UnitReservationsModule,
    IdempotencyModule,
    LeadsModule,
    UnitsModule,
    EventsModule,
    MongooseModule.forFeature([
      { name: 'ChequeWallet', schema: chequeWalletSchema },
      { name: 'CallbackLog', schema: callbackLogSchema },
    ]),
  ],
  controllers: [ReservationsController, ChequesController],
  providers: [
    CallbackLogRepository,
    ReservationsRepository,
    ChequeWalletsRepository,
    ReservationStateService,
    CallbacksService,
    ReservationUpsertsService,
    ReservationLookupService,
    ReservationListsRepository,
    ReservationListsService,
    DueChequesRepository,
    DueChequesService,
    ReconciliationsService,
  ],
  exports: [
    CallbacksService,
    ReservationUpsertsService,
    ReservationLookupService,
    ReconciliationsService,
  ],
})
export class ReservationsModule {}
