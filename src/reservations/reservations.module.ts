import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { LeadsModule } from '../leads/leads.module.js';
import { LocalizationModule } from '../localization/localization.module.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { UnitsModule } from '../units/units.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { callbackRecordSchema } from './callback-record.schema.js';
import { CallbackRecords } from './callback-records.js';
import { CallbackRecordsRepository } from './callback-records.repository.js';
import { CallbackSteps } from './callback-steps.js';
import { CallbacksService } from './callbacks.service.js';
import { chequeWalletSchema } from './cheque-wallet.schema.js';
import { ChequeWalletsRepository } from './cheque-wallets.repository.js';
import { ReservationEffects } from './reservation-effects.js';
import { ReservationInspectionService } from './reservation-inspection.service.js';
import { ReservationUpserts } from './reservation-upserts.js';
import { reservationSchema } from './reservation.schema.js';
import { ReservationsController } from './reservations.controller.js';
import { ReservationsRepository } from './reservations.repository.js';
import { ReservationsService } from './reservations.service.js';
import { Wallets } from './wallets.js';

/** Reservations, their cheque wallets and the callback of collection partners. */
@Module({
  imports: [
    LeadsModule,
    LocalizationModule,
    OrganizationsModule,
    UnitsModule,
    WebhooksModule,
    MongooseModule.forFeature([
      { name: 'Reservation', schema: reservationSchema },
      { name: 'ChequeWallet', schema: chequeWalletSchema },
      { name: 'CallbackRecord', schema: callbackRecordSchema },
    ]),
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
