import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { ArrayMaxSize, IsBoolean, isISO8601, IsNumber, ValidateBy } from 'class-validator';
import {
  ExternalId,
  externalIdLimit,
  MayBeOmitted,
  OptionalExternalId,
  OptionalItems,
} from '../../http/validation/field-decorators.js';
import { isStorableText } from '../../http/validation/json-body.js';
import { ruleMessage } from '../../http/validation/rule-message.js';
import type { UnitReference } from '../../units/reading/unit-lookup.service.js';
import { type ReservationStatus, reservationStatuses } from '../states.js';
import { ChequeNumber } from '../cheques/cheque-number.js';
import { IsOneOf } from '../cheques/is-one-of.js';

/** Most cheques of one request: more than any payment plan has installments. */
const maxCheques = 500;

/** A cheque of `POST /reservations`. */
export class ChequeRequestDto {
  @ApiProperty({
    minLength: 1,
    maxLength: externalIdLimit,
    description: 'Identifies the cheque in the wallet, and in callbacks.',
    example: 'installment-3',
  })
  @ExternalId('installmentId')
  installmentId!: string;

  @ChequeNumber()
  chequeNumber?: string;

  @ApiPropertyOptional({ type: Number, example: 250_000 })
  @MayBeOmitted()
  @IsNumber()
  chequeAmount?: number;

  @ApiPropertyOptional({ type: String, format: 'date-time', example: '2026-06-01' })
  @MayBeOmitted()
  @IsTime()
  dueDate?: string;
}

/** An entity of an outside system. */
class ExternalReference {
  @ApiProperty({ minLength: 1, maxLength: externalIdLimit, example: 'website-form-7-4711' })
  recordSystemId!: string;
}

/** A unit by the id that it has in its compound. */
class UnitIdReference {
  @ApiProperty({ minLength: 1, example: 'A-101' })
  unitId!: string;
}

/** Body of `POST /reservations` (rule RES-3). */
@ApiExtraModels(ExternalReference, UnitIdReference)
export class UpsertReservationDto {
  @OptionalExternalId({
    description:
      'Stable external id of the reservation, used exactly as sent. Later requests with the same ' +
      'value update the same reservation; without it every request creates a new one.',
    example: 'deal-4711',
  })
  recordSystemId?: string;

  @IsUnitReference()
  unit?: UnitReference;

  @IsLeadReference()
  lead?: ExternalReference;

  @IsOneOf(
    'status',
    reservationStatuses,
    'A new reservation is pending (default) or pending_cheque_collection; an update may also ' +
      'reject, cancel or expire it. Only the callback approves.',
  )
  status?: ReservationStatus;

  @ApiPropertyOptional({
    type: Boolean,
    description: 'Whether the reservation is active in the partner collection flow.',
    example: true,
  })
  @MayBeOmitted()
  @IsBoolean()
  partnerCollection?: boolean;

  @OptionalItems(ChequeRequestDto, {
    maxItems: maxCheques,
    description:
      'Makes the wallet of the reservation, or adds to it. A known installment takes over what is ' +
      'sent and keeps its status and history.',
  })
  @ArrayMaxSize(maxCheques, {
    message: ruleMessage('validation.arrayMaxSize', { property: 'cheques', limit: maxCheques }),
  })
  @HasUniqueInstallments()
  cheques?: ChequeRequestDto[];
}

/** Class-validator accepts weeks and days of the year too, which JavaScript cannot read. */
function IsTime(): PropertyDecorator {
  return ValidateBy({
    name: 'isTime',
    validator: {
      validate: (value) =>
        isISO8601(value, { strict: true }) && !Number.isNaN(Date.parse(value as string)),
    },
  });
}

function HasUniqueInstallments(): PropertyDecorator {
  return ValidateBy({
    name: 'uniqueInstallments',
    validator: {
      validate: (cheques) =>
        !Array.isArray(cheques) || new Set(cheques.map(installmentIdOf)).size === cheques.length,
    },
  });
}

function installmentIdOf(cheque: unknown): unknown {
  return (cheque as { installmentId?: unknown } | null)?.installmentId;
}

function IsUnitReference(): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      oneOf: [
        { type: 'string', minLength: 1 },
        { $ref: getSchemaPath(ExternalReference) },
        { $ref: getSchemaPath(UnitIdReference) },
      ],
      description: 'The unit, by slug, recordSystemId or unitId; required to create.',
      example: 'palm-meadows-a-101',
    }),
    MayBeOmitted(),
    ValidateBy(
      {
        name: 'isUnitReference',
        validator: {
          validate: (value) =>
            isId(value) || hasOnlyId(value, 'recordSystemId') || hasOnlyId(value, 'unitId'),
        },
      },
      { message: ruleMessage('validation.isUnitReference', {}) },
    ),
  );
}

function IsLeadReference(): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      type: ExternalReference,
      description: 'The lead who reserves, by the external id that it was posted with.',
    }),
    MayBeOmitted(),
    ValidateBy(
      {
        name: 'isLeadReference',
        validator: { validate: (value) => hasOnlyId(value, 'recordSystemId') },
      },
      { message: ruleMessage('validation.isLeadReference', {}) },
    ),
  );
}

function hasOnlyId(value: unknown, key: string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const [[name, id] = [], ...others] = Object.entries(value);
  return name === key && others.length === 0 && isId(id);
}

function isId(value: unknown): boolean {
  const isText = typeof value === 'string' && value !== '' && value.length <= externalIdLimit;
  return isText && isStorableText(value);
}
