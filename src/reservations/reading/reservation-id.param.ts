import { Field } from '../../core/http/validation/field.js';
import { string } from '../../core/values/text.js';

export class ReservationIdParam {
  @Field(
    { required: true, description: 'Id of the reservation.', example: '6740b1f2c3d4e5f607182940' },
    [string],
  )
  reservationId!: string;
}
