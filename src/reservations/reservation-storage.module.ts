import { Module } from '@nestjs/common';
import { TenantCollectionsModule } from '../core/database/documents/tenant-collections.module.js';
import { reservationSchema } from './reservation.schema.js';
import { ReservationsRepository } from './reservations.repository.js';

/** The stored reservations, apart from what builds on units: units read them too (rule UNIT-30). */
@Module({
  imports: [
    TenantCollectionsModule.forFeature({
      name: 'Reservation',
      schema: reservationSchema,
      hasForeignFields: true,
    }),
  ],
  providers: [ReservationsRepository],
  exports: [ReservationsRepository],
})
export class ReservationStorageModule {}
