import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsNotEmpty, IsNumber, IsString, ValidateBy } from 'class-validator';
import { MayBeOmitted, OptionalText } from '../../http/validation/field-decorators.js';
import { ruleMessage } from '../../http/validation/rule-message.js';
import {
  chequeStatuses,
  type ChequeStatus,
  reservationStatuses,
  type ReservationStatus,
} from '../states.js';
import { ChequeNumber } from '../cheques/cheque-number.js';
import { IsOneOf } from '../cheques/is-one-of.js';

/** Body of `POST /reservations/webhook` (rule CALL-1). */
export class CallbackDto {
  @ApiProperty({
    description: "Id of an existing reservation of the caller's organization.",
    example: '6740b1f2c3d4e5f607182940',
  })
  @IsString()
  @IsNotEmpty()
  reservationId!: string;

  @OptionalText({
    description: "Identifies the cheque inside the reservation's cheque wallet.",
    example: 'installment-3',
  })
  installmentId?: string;

  @ChequeNumber()
  chequeNumber?: string;

  @ApiPropertyOptional({
    type: Number,
    description: 'Stored with the cheque update.',
    example: 250_000,
  })
  @MayBeOmitted()
  @IsNumber()
  chequeAmount?: number;

  @IsOneOf('chequeStatus', chequeStatuses, 'New state of the cheque; needs installmentId.')
  @NeedsInstallment()
  chequeStatus?: ChequeStatus;

  @IsOneOf(
    'reservationStatus',
    reservationStatuses,
    'approved and canceled change the reservation; the others are accepted and ignored.',
  )
  reservationStatus?: ReservationStatus;
}

function NeedsInstallment(): PropertyDecorator {
  return ValidateBy(
    {
      name: 'needsInstallment',
      validator: {
        validate: (_value, args) =>
          (args?.object as CallbackDto | undefined)?.installmentId !== undefined,
      },
    },
    { message: ruleMessage('validation.needsInstallment', {}) },
  );
}
