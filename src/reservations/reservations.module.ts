import { Module } from '@nestjs/common';
import { AvailabilityModule } from '../availability/availability.module.js';
import { TenantCollectionsModule } from '../core/database/documents/tenant-collections.module.js';
import { WritesModule } from '../core/writes/writes.module.js';
import { LeadsModule } from '../leads/leads.module.js';
import { UnitsModule } from '../units/units.module.js';
import { EventsModule } from '../events/events.module.js';
import { CallbackLogRepository, callbackLogSchema } from './callback/callback-log.repository.js';
import { CallbacksService } from './callback/callbacks.service.js';
import { chequeWalletSchema } from './cheques/cheque-wallet.schema.js';
import { ReservationHistoryService } from './reading/reservation-history.service.js';
import { ReservationsService } from './reading/reservations.service.js';
import { LedgerFilesService } from './reconciliation/ledger-files.service.js';
import { ReconciliationsService } from './reconciliation/reconciliations.service.js';
import { ReservationStore } from './reservation-store.js';
import { ReservationsController } from './reservations.controller.js';
import { ReservationsRepository } from './reservations.repository.js';
import { ReservationUpsertsService } from './upsert/reservation-upserts.service.js';

@Module({
  imports: [
    AvailabilityModule,
    WritesModule,
    LeadsModule,
    UnitsModule,
    EventsModule,
    TenantCollectionsModule.forFeature(
      { name: 'ChequeWallet', schema: chequeWalletSchema, hasForeignFields: true },
      { name: 'CallbackLog', schema: callbackLogSchema },
    ),
  ],
  controllers: [ReservationsController],
  providers: [
    ReservationsRepository,
    CallbackLogRepository,
    ReservationStore,
    CallbacksService,
    ReservationUpsertsService,
    ReservationsService,
    ReservationHistoryService,
    ReconciliationsService,
    LedgerFilesService,
  ],
  exports: [ReservationsService, ReservationHistoryService, LedgerFilesService],
})
export class ReservationsModule {}
