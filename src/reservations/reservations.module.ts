import { Module } from '@nestjs/common';
import { AvailabilityModule } from '../availability/availability.module.js';
import { TenantCollectionsModule } from '../core/database/documents/tenant-collections.module.js';
import { WritesModule } from '../core/writes/writes.module.js';
import { LeadsModule } from '../leads/leads.module.js';
import { OrganizationsModule } from '../tenants/organizations/organizations.module.js';
import { UnitsModule } from '../units/units.module.js';
import { EventsModule } from '../events/events.module.js';
import { callbackLogSchema } from './callback/callback-log.schema.js';
import { CallbackLogRepository } from './callback/callback-log.repository.js';
import { CallbacksService } from './callback/callbacks.service.js';
import { chequeWalletSchema } from './cheques/cheque-wallet.schema.js';
import { ChequeWalletsRepository } from './cheques/cheque-wallets.repository.js';
import { ReservationHistoryService } from './reading/reservation-history.service.js';
import { ReservationInspectionService } from './reading/reservation-inspection.service.js';
import { ReservationsService } from './reading/reservations.service.js';
import { ReconciliationsService } from './reconciliation/reconciliations.service.js';
import { ReservationStateService } from './reservation-state.service.js';
import { ReservationsController } from './reservations.controller.js';
import { ReservationsRepository } from './reservations.repository.js';
import { ReservationUpsertsService } from './upsert/reservation-upserts.service.js';

/** Reservations, their cheque wallets and the callback of collection partners. */
@Module({
  imports: [
    AvailabilityModule,
    WritesModule,
    LeadsModule,
    OrganizationsModule,
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
    ChequeWalletsRepository,
    CallbackLogRepository,
    ReservationStateService,
    CallbacksService,
    ReservationUpsertsService,
    ReservationsService,
    ReservationInspectionService,
    ReservationHistoryService,
    ReconciliationsService,
  ],
  exports: [ReservationHistoryService, ReservationInspectionService, ReconciliationsService],
})
export class ReservationsModule {}
