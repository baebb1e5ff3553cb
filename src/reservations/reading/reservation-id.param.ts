import { ApiProperty } from '@nestjs/swagger';
import { IsString } from 'class-validator';

/** Path of one reservation. */
export class ReservationIdParam {
  @ApiProperty({ description: 'Id of the reservation.', example: '6740b1f2c3d4e5f607182940' })
  @IsString()
  reservationId!: string;
}
