import { ApiProperty } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { ReservationDocument } from '../reservation.schema.js';
import { present, type Presented, responseClass } from '../../core/fields/declared-fields.js';
import { PaginationDto } from '../../core/http/responses/list-paginator.js';
import { Field } from '../../core/validation/fields.js';
import { ChequeWalletDocument } from '../cheques/cheque-wallet.schema.js';

export type PresentedWallet = Presented<ChequeWalletDocument>;

export const ChequeWalletDto = responseClass(ChequeWalletDocument);

export class ReservationDto extends responseClass(ReservationDocument) {
  @ApiProperty({
    type: ChequeWalletDto,
    nullable: true,
    description: 'The active wallet, or else the last deleted one, or null.',
  })
  chequeWallet!: PresentedWallet | null;
}

export class ReservationDetailsDto extends ReservationDto {
  @ApiProperty({
    type: [ChequeWalletDto],
    description: 'Deleted wallets, the last deleted one first; chequeWallet may be one of them.',
  })
  deletedChequeWallets!: readonly PresentedWallet[];
}

export function presentDetails(
  reservation: ReservationDocument,
  wallets: readonly ChequeWalletDocument[],
): ReservationDetailsDto {
  const deleted = wallets.filter(({ isDeleted }) => isDeleted);
  return {
    ...presentReservation(reservation, wallets[0]),
    deletedChequeWallets: deleted.map((wallet) => present(ChequeWalletDocument, wallet)),
  };
}

/** @param wallet the active one, or else the last deleted one */
export function presentReservation(
  reservation: ReservationDocument,
  wallet: ChequeWalletDocument | undefined,
): ReservationDto {
  const chequeWallet = wallet === undefined ? null : present(ChequeWalletDocument, wallet);
  return { ...present(ReservationDocument, reservation), chequeWallet };
}

export class ReservationResponseDto {
  @ApiProperty({ type: ReservationDetailsDto })
  data!: ReservationDetailsDto;
}

export class ReservationsResponseDto {
  @ApiProperty({ type: [ReservationDto] })
  data!: readonly ReservationDto[];

  @ApiProperty({ type: PaginationDto })
  pagination!: PaginationDto;
}

export class ReservationUpsertResponseDto {
  @ApiProperty({ type: Boolean, example: true })
  ok!: true;

  @ApiProperty({ type: String, enum: ['create', 'update'], example: 'create' })
  operation!: 'create' | 'update';

  @ApiProperty({ type: ReservationDto })
  reservation!: ReservationDto;
}

export class ReservationIdParam {
  @Field(
    { required: true, description: 'Id of the reservation.', example: '6740b1f2c3d4e5f607182940' },
    IsString(),
  )
  reservationId!: string;
}
