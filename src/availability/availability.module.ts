import { Module } from '@nestjs/common';
import { TenantCollectionsModule } from '../core/database/documents/tenant-collections.module.js';
import { reservationSchema } from './reservation.schema.js';
import { UnitReservationsRepository } from './unit-reservations.repository.js';

@Module({
  imports: [
    TenantCollectionsModule.forFeature({
      name: 'Reservation',
      schema: reservationSchema,
      hasForeignFields: true,
    }),
  ],
  providers: [UnitReservationsRepository],
  exports: [TenantCollectionsModule, UnitReservationsRepository],
})
export class AvailabilityModule {}
