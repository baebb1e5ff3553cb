import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { reservationSchema } from './reservation.schema.js';
import { UnitReservationsRepository } from './unit-reservations.repository.js';

@Module({
  imports: [MongooseModule.forFeature([{ name: 'Reservation', schema: reservationSchema }])],
  providers: [UnitReservationsRepository],
  exports: [MongooseModule, UnitReservationsRepository],
})
export class UnitReservationsModule {}
