import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import {
  BooleanField,
  externalIdApi,
  ExternalIdField,
  Field,
  ItemsField,
  NumberField,
  StatusField,
  TimeField,
} from '../../core/validation/fields.js';
import { isPlainObject } from '../../core/values/json.js';
import { ReadAs } from '../../core/validation/dto-reader.js';
import { Rule } from '../../core/validation/rules.js';
import { isExternalId } from '../../core/values/text.js';
import type { UnitReference } from '../../units/reading/unit-lookup.service.js';
import { ChequeNumberField } from '../callback/callback.dto.js';
import { type ReservationStatus, reservationStatuses } from '../reservation-status.js';

/** Payment plans have far fewer installments. */
const maxCheques = 500;
const unitIds = ['recordSystemId', 'unitId'];
const leadIds = ['recordSystemId'];

export class ChequeRequestDto {
  @ExternalIdField({
    required: true,
    description: 'Identifies the cheque in the wallet, and in callbacks.',
    example: 'installment-3',
  })
  installmentId!: string;

  @ChequeNumberField()
  chequeNumber?: string;

  @NumberField({ example: 250_000 })
  chequeAmount?: number;

  @TimeField({ example: '2026-06-01T00:00:00.000Z' })
  dueDate?: Date;
}

class ExternalReference {
  @ApiProperty({ ...externalIdApi, example: 'website-form-7-4711' })
  recordSystemId!: string;
}

class UnitIdReference {
  @ApiProperty({ ...externalIdApi, example: 'A-101' })
  unitId!: string;
}

@ApiExtraModels(ExternalReference, UnitIdReference)
export class UpsertReservationDto {
  @ExternalIdField({
    description:
      'Stable external id of the reservation, used exactly as sent. Later requests with the same ' +
      'value update the same reservation; without it every request creates a new one.',
    example: 'deal-4711',
  })
  recordSystemId?: string;

  @Field(
    {
      oneOf: [
        externalIdApi,
        { $ref: getSchemaPath(ExternalReference) },
        { $ref: getSchemaPath(UnitIdReference) },
      ],
      description: 'The unit, by slug, recordSystemId or unitId; required to create.',
      example: 'palm-meadows-a-101',
    },
    ReadAs({ names: unitIds }),
    Rule('isUnitReference', isUnitReference),
  )
  unit?: UnitReference;

  @Field(
    {
      type: ExternalReference,
      description: 'The lead who reserves, by the external id that it was posted with.',
    },
    ReadAs({ names: leadIds }),
    Rule('isLeadReference', (value) => hasExactlyOneId(value, leadIds)),
  )
  lead?: ExternalReference;

  @StatusField(reservationStatuses, {
    description:
      'A new reservation is pending (default) or pending_cheque_collection; an update may also ' +
      'reject, cancel or expire it. Only the callback approves. Once the reservation has another ' +
      'status, the first two change nothing and x-ignored-fields names status; likewise rejected ' +
      'and expired once it is approved.',
  })
  status?: ReservationStatus;

  @BooleanField({
    description:
      'true, together with pending or pending_cheque_collection, reopens a rejected, canceled or ' +
      'expired reservation.',
    example: true,
  })
  reopen?: boolean;

  @BooleanField({
    description: 'Whether the reservation is active in the partner collection flow.',
    example: true,
  })
  partnerCollection?: boolean;

  @ItemsField(
    ChequeRequestDto,
    {
      maxItems: maxCheques,
      description:
        'Creates or extends the wallet of the reservation. A known installment gets the sent ' +
        'fields and keeps its status and history.',
    },
    Rule('uniqueInstallments', hasUniqueInstallments),
  )
  cheques?: ChequeRequestDto[];
}

function hasUniqueInstallments(cheques: unknown): boolean {
  if (!Array.isArray(cheques)) return true;
  const ids = cheques.flatMap((cheque: Partial<ChequeRequestDto> | null) => {
    return cheque?.installmentId ?? [];
  });
  return new Set(ids).size === ids.length;
}

function isUnitReference(value: unknown): boolean {
  return isExternalId(value) || hasExactlyOneId(value, unitIds);
}

/** Ignores unknown names, which are reported separately. */
function hasExactlyOneId(value: unknown, names: readonly string[]): boolean {
  if (!isPlainObject(value)) return false;
  const ids = names.flatMap((name) => (Object.hasOwn(value, name) ? [value[name]] : []));
  return ids.length === 1 && isExternalId(ids[0]);
}

export const reservationExamples = {
  'With the cheques to collect': {
    unit: 'pm-a-001',
    status: 'pending_cheque_collection',
    partnerCollection: true,
    cheques: [
      {
        installmentId: 'installment-1',
        chequeNumber: '000123',
        chequeAmount: 250_000,
        dueDate: '2026-06-01T00:00:00.000Z',
      },
      {
        installmentId: 'installment-2',
        chequeAmount: 250_000,
        dueDate: '2026-09-01T00:00:00.000Z',
      },
    ],
  },
  'A unit and a lead by your own ids': {
    recordSystemId: 'deal-4712',
    unit: { recordSystemId: 'ERP-4711' },
    lead: { recordSystemId: 'website-form-7-4711' },
  },
};

export const reservationLinks = {
  read: {
    operationId: 'readReservation',
    parameters: { reservationId: '$response.body#/reservation/_id' },
  },
};
