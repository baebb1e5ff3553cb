import { ApiProperty } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { responseClass } from '../../core/fields/declared-fields.js';
import {
  Choice,
  NullableRecordId,
  OptionalNumber,
  OptionalText,
  OptionalTime,
  RecordId,
  Text,
} from '../../core/fields/fields.js';
import { PaginationDto } from '../../core/http/responses/list-paginator.js';
import { ReadAs } from '../../core/validation/dto-reader.js';
import { ExternalIdField, Field, TimeField } from '../../core/validation/fields.js';
import { AfterCursor, ChoiceList, PageLimit } from '../../core/validation/query-fields.js';
import { HasTimeZone, IsTime } from '../../core/validation/rules.js';
import { dayMs, parseTime } from '../../core/values/time.js';
import { reservationStatuses } from '../reservation-status.js';
import { chequeStatuses } from '../transitions.js';

export class ListChequesQuery {
  @ChoiceList(chequeStatuses, 'In any of these statuses.')
  status?: string;

  @TimeField({ description: 'Due on this day (UTC) or at this time, or later.' })
  dueFrom?: Date;

  @Field(
    {
      type: String,
      format: 'date-time',
      description: 'Due before the end of this day (UTC), or at this time or earlier.',
    },
    ReadAs({ parse: endOfDayOrTime }),
    IsTime(),
    HasTimeZone(),
  )
  dueTo?: Date;

  @ExternalIdField({
    description: 'Of this reservation: its id or `recordSystemId`.',
    example: 'deal-4711',
  })
  reservation?: string;

  @AfterCursor('0 starts at the beginning.')
  after?: string;

  @PageLimit()
  limit?: string;
}

const day = /^\d{4}-\d\d-\d\d$/;

function endOfDayOrTime(value: unknown): unknown {
  const time = parseTime(value);
  const isDay = typeof value === 'string' && day.test(value);
  return time !== null && isDay ? new Date(time.getTime() + dayMs - 1) : (time ?? value);
}

/** A cheque of an active wallet, with the ids by which callbacks report it. */
export class DueCheque {
  @RecordId({ stored: false, example: '6740b1f2c3d4e5f607182940' })
  reservationId!: Types.ObjectId;

  @OptionalText({
    stored: false,
    description: 'External id of the reservation.',
    example: 'deal-4711',
  })
  reservationRecordSystemId?: string;

  @Choice(reservationStatuses, { stored: false, example: 'pending_cheque_collection' })
  reservationStatus!: string;

  @NullableRecordId({ stored: false, example: '6740b1f2c3d4e5f607182942' })
  unitId!: Types.ObjectId | null;

  @RecordId({ stored: false, example: '6740b1f2c3d4e5f607182941' })
  walletId!: Types.ObjectId;

  @Text({ stored: false, example: 'installment-3' })
  installmentId!: string;

  @Choice(chequeStatuses, { stored: false, example: 'pending' })
  status!: string;

  @OptionalText({ stored: false, example: '000123' })
  chequeNumber?: string;

  @OptionalNumber({ stored: false, example: 250_000 })
  chequeAmount?: number;

  @OptionalTime({ stored: false })
  dueDate?: Date;
}

export class DueChequeDto extends responseClass(DueCheque) {}

export class DueChequesResponseDto {
  @ApiProperty({ type: [DueChequeDto] })
  data!: readonly DueChequeDto[];

  @ApiProperty({ type: PaginationDto })
  pagination!: PaginationDto;
}
