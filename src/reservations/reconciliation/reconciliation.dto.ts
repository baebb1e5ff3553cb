import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  BooleanField,
  ExternalIdField,
  ItemsField,
  NumberField,
  StatusField,
} from '../../core/validation/fields.js';
import {
  bouncedExample,
  ChequeNumberField,
  collectedExample,
  ReservationIdField,
} from '../callback/callback.dto.js';
import { chequeStatuses, type ChequeStatus } from '../transitions.js';

/** A partner usually collects fewer cheques a month for one organization. */
const maxEntries = 1_000;

export const maxUnmentionedCheques = 10_000;

export class LedgerEntryDto {
  @ReservationIdField("Id of a reservation of the caller's organization.")
  reservationId!: string;

  @ExternalIdField({
    required: true,
    description: 'Identifies the cheque among those of the reservation.',
    example: 'installment-3',
  })
  installmentId!: string;

  @StatusField(chequeStatuses, {
    required: true,
    description: 'Status of the cheque in the ledger.',
  })
  chequeStatus!: ChequeStatus;

  @ChequeNumberField('Compared if sent.')
  chequeNumber?: string;

  @NumberField({ description: 'Compared if sent.', example: 250_000 })
  chequeAmount?: number;
}

/** Body of `POST /reservations/reconciliation` (rule RES-9). */
export class ReconciliationDto {
  @ItemsField(LedgerEntryDto, {
    required: true,
    maxItems: maxEntries,
    description: "The partner's ledger.",
  })
  cheques!: LedgerEntryDto[];

  @BooleanField({
    description:
      'true if the ledger contains all cheques that the partner collects: the response then ' +
      'lists stored cheques that the ledger does not mention.',
    example: true,
  })
  complete?: boolean;
}

const differenceKinds = [
  'reservation_missing',
  'cheque_missing',
  'status',
  'number',
  'amount',
] as const;
type DifferenceKind = (typeof differenceKinds)[number];

const compared = { oneOf: [{ type: 'string' }, { type: 'number' }] };

export class DifferenceDto {
  @ApiProperty({ type: Number, description: 'Position in the ledger, from 0.', example: 0 })
  index!: number;

  @ApiProperty({ type: String, example: '6740b1f2c3d4e5f607182940' })
  reservationId!: string;

  @ApiProperty({ type: String, example: 'installment-3' })
  installmentId!: string;

  @ApiProperty({ type: String, enum: [...differenceKinds], example: 'status' })
  kind!: DifferenceKind;

  @ApiProperty({
    ...compared,
    nullable: true,
    description: 'The stored value, or null.',
    example: 'bounced',
  })
  ours!: string | number | null;

  @ApiProperty({
    ...compared,
    description:
      'The value in the ledger; the status in the ledger if the reservation or the cheque is ' +
      'missing.',
    example: 'collected',
  })
  theirs!: string | number;
}

export class UnmentionedChequeDto {
  @ApiProperty({ type: String, example: '6740b1f2c3d4e5f607182940' })
  reservationId!: string;

  @ApiProperty({ type: String, example: 'installment-4' })
  installmentId!: string;

  @ApiProperty({ type: String, enum: [...chequeStatuses], example: 'pending' })
  status!: string;
}

export class ReconciliationResponseDto {
  @ApiProperty({
    type: Boolean,
    description: 'True if nothing differs and nothing is unmentioned.',
    example: false,
  })
  ok!: boolean;

  @ApiProperty({ type: Number, description: 'Entries of the ledger.', example: 1 })
  compared!: number;

  @ApiProperty({ type: Number, description: 'Entries without a difference.', example: 0 })
  matching!: number;

  @ApiProperty({ type: [DifferenceDto], description: 'In the order of the ledger.' })
  differences!: readonly DifferenceDto[];

  @ApiPropertyOptional({
    type: [UnmentionedChequeDto],
    maxItems: maxUnmentionedCheques,
    description:
      'Only with `complete: true`: cheques in the partner collection flow that the ledger does not ' +
      'mention, by reservation.',
  })
  unmentioned?: readonly UnmentionedChequeDto[];

  @ApiPropertyOptional({
    type: Boolean,
    description: 'Only with `complete: true`: true if the list is incomplete.',
    example: false,
  })
  hasMore?: boolean;
}

export const reconciliationExamples = {
  'A part of the ledger': { cheques: [collectedExample] },
  'The whole ledger': { cheques: [bouncedExample], complete: true },
};
