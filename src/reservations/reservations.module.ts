import { Module } from '@nestjs/common';
import { TenantCollectionsModule } from '../database/documents/tenant-collections.module.js';
import { LeadsModule } from '../leads/leads.module.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { UnitsModule } from '../units/units.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { callbackRecordSchema } from './callback/callback-record.schema.js';
import { CallbackRecords } from './callback/callback-records.js';
import { CallbackRecordsRepository } from './callback/callback-records.repository.js';
import { CallbackSteps } from './callback/callback-steps.js';
import { CallbacksService } from './callback/callbacks.service.js';
import { chequeWalletSchema } from './cheques/cheque-wallet.schema.js';
import { ChequeWalletsRepository } from './cheques/cheque-wallets.repository.js';
import { ReservationEffects } from './callback/reservation-effects.js';
import { ReservationInspectionService } from './records/reservation-inspection.service.js';
import { ReservationUpserts } from './records/reservation-upserts.js';
import { reservationSchema } from './records/reservation.schema.js';
import { ReservationsController } from './reservations.controller.js';
import { ReservationsRepository } from './records/reservations.repository.js';
import { ReservationsService } from './records/reservations.service.js';
import { Wallets } from './cheques/wallets.js';

/** Reservations, their cheque wallets and the callback of collection partners. */
@Module({
  imports: [
    LeadsModule,
    OrganizationsModule,
    UnitsModule,
    WebhooksModule,
    TenantCollectionsModule.forFeature(
      { name: 'Reservation', schema: reservationSchema },
      { name: 'ChequeWallet', schema: chequeWalletSchema },
      { name: 'CallbackRecord', schema: callbackRecordSchema },
    ),
  ],
  controllers: [ReservationsController],
  providers: [
    ReservationsRepository,
    ChequeWalletsRepository,
    CallbackRecordsRepository,
    Wallets,
    ReservationEffects,
    CallbackSteps,
    CallbackRecords,
    CallbacksService,
    ReservationUpserts,
    ReservationsService,
    ReservationInspectionService,
  ],
  exports: [ReservationInspectionService],
})
export class ReservationsModule {}
