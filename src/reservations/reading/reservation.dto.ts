import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Field } from '../../core/http/validation/field.js';
import { string } from '../../core/values/text.js';
import { reservationStatuses } from '../../availability/availability.js';
import { chequeStatuses } from '../transitions.js';

const objectId = { type: String, pattern: '^[0-9a-f]{24}$' } as const;
const time = { type: String, format: 'date-time', example: '2026-01-05T09:30:00.000Z' } as const;

class ChequeFactsDto {
  @ApiProperty({ type: String, enum: [...chequeStatuses], example: 'collected' })
  status!: string;

  @ApiPropertyOptional({ type: String, example: '000123' })
  chequeNumber?: string;

  @ApiPropertyOptional({ type: Number, example: 250_000 })
  chequeAmount?: number;
}

export class ChequeHistoryEntryDto extends ChequeFactsDto {
  @ApiProperty({ ...time, nullable: true, description: 'When the report arrived.' })
  changedAt!: string | null;

  @ApiProperty({ type: String, description: 'Who reported it.', example: 'External API' })
  source!: string;
}

export class ChequeDto extends ChequeFactsDto {
  @ApiProperty({ type: String, example: 'installment-3' })
  installmentId!: string;

  @ApiPropertyOptional({ ...time })
  dueDate?: string;

  @ApiProperty({ type: [ChequeHistoryEntryDto], description: 'Every report, oldest first.' })
  statusHistory!: readonly ChequeHistoryEntryDto[];
}

export class ChequeWalletDto {
  @ApiProperty({ ...objectId, example: '6740b1f2c3d4e5f607182941' })
  _id!: string;

  @ApiProperty({ ...objectId, example: '6740b1f2c3d4e5f607182940' })
  reservationId!: string;

  @ApiProperty({ ...objectId, nullable: true, example: '6740b1f2c3d4e5f607182942' })
  unitId!: string | null;

  @ApiProperty({ type: Boolean, example: false })
  isDeleted!: boolean;

  @ApiProperty({ ...time, nullable: true, example: null })
  deletedAt!: string | null;

  @ApiProperty({ type: [ChequeDto] })
  cheques!: readonly ChequeDto[];

  @ApiProperty({ ...time })
  createdAt!: string;

  @ApiProperty({ ...time })
  updatedAt!: string;
}

/** A reservation with its wallet (rule RES-2). */
export class ReservationDto {
  @ApiProperty({ ...objectId, example: '6740b1f2c3d4e5f607182940' })
  _id!: string;

  @ApiPropertyOptional({ type: String, example: 'deal-4711' })
  recordSystemId?: string;

  @ApiProperty({ ...objectId, nullable: true, example: '6740b1f2c3d4e5f607182942' })
  unitId!: string | null;

  @ApiProperty({ ...objectId, nullable: true, example: null })
  leadId!: string | null;

  @ApiProperty({ type: String, enum: [...reservationStatuses], example: 'approved' })
  status!: string;

  @ApiProperty({
    type: 'object',
    properties: { isActive: { type: 'boolean' } },
    required: ['isActive'],
    description: 'Whether the reservation is active in the partner collection flow.',
    example: { isActive: true },
  })
  partnerCollection!: { isActive: boolean };

  @ApiProperty({ ...time, nullable: true })
  approvedAt!: string | null;

  @ApiProperty({ ...time, nullable: true, example: null })
  canceledAt!: string | null;

  @ApiProperty({ type: Boolean, example: false })
  isDeleted!: boolean;

  @ApiProperty({ ...time })
  createdAt!: string;

  @ApiProperty({ ...time })
  updatedAt!: string;

  @ApiProperty({
    type: ChequeWalletDto,
    nullable: true,
    description: 'The active wallet, else the one that was deleted last, else null.',
  })
  chequeWallet!: ChequeWalletDto | null;
}

export class ReservationResponseDto {
  @ApiProperty({ type: ReservationDto })
  data!: ReservationDto;
}

export class ReservationUpsertResponseDto {
  @ApiProperty({ type: Boolean, enum: [true], example: true })
  ok!: true;

  @ApiProperty({ type: String, enum: ['create', 'update'], example: 'create' })
  operation!: 'create' | 'update';

  @ApiProperty({ type: ReservationDto })
  reservation!: ReservationDto;
}

export class ReservationIdParam {
  @Field(
    { required: true, description: 'Id of the reservation.', example: '6740b1f2c3d4e5f607182940' },
    [string],
  )
  reservationId!: string;
}
