import { Allow, IsNotEmpty, IsString } from 'class-validator';
import {
  CrossFieldRules,
  ExternalIdField,
  Field,
  NumberField,
  StatusField,
} from '../../core/validation/fields.js';
import { AllowUnknownFields } from '../../core/validation/dto-reader.js';
import { MaxCharacters, Rule } from '../../core/validation/rules.js';
import { maxChequeNumberLength } from '../cheques/cheque-number.js';
import { reservationStatuses, type ReservationStatus } from '../reservation-status.js';
import { chequeStatuses, type ChequeStatus } from '../transitions.js';

/** Documented as a security scheme, because tools would fill in a parameter next to the header. */
@AllowUnknownFields()
export class CallbackQuery {
  @Allow()
  'api-key'?: unknown;
}

/** Accepts any string, since an unknown id is a 404. */
export function ReservationIdField(description: string): PropertyDecorator {
  const api = { required: true, description, minLength: 1, example: '6740b1f2c3d4e5f607182940' };
  return Field(api, IsNotEmpty(), IsString());
}

export function ChequeNumberField(description = 'Stored with the cheque.'): PropertyDecorator {
  const api = { type: String, maxLength: maxChequeNumberLength, description, example: '000123' };
  return Field(api, IsString(), MaxCharacters(maxChequeNumberLength));
}

/** Body of `POST /reservations/webhook` (rule CALL-1). */
@AllowUnknownFields()
@CrossFieldRules({ dependentRequired: { chequeStatus: ['installmentId'] } })
export class CallbackDto {
  @ReservationIdField("Id of an existing reservation of the caller's organization.")
  reservationId!: string;

  @ExternalIdField({
    description: "Identifies the cheque inside the reservation's cheque wallet.",
    example: 'installment-3',
  })
  installmentId?: string;

  @ChequeNumberField()
  chequeNumber?: string;

  @NumberField({ description: 'Stored with the cheque update.', example: 250_000 })
  chequeAmount?: number;

  @StatusField(
    chequeStatuses,
    { description: 'Status of the cheque; requires installmentId.' },
    Rule('needsInstallment', hasInstallment),
  )
  chequeStatus?: ChequeStatus;

  @StatusField(reservationStatuses, {
    description:
      'approved and canceled change the reservation; the others are accepted and ignored.',
  })
  reservationStatus?: ReservationStatus;
}

function hasInstallment(_status: unknown, callback: object | undefined): boolean {
  return (callback as CallbackDto).installmentId !== undefined;
}

/** Required with a key for signed callbacks, ignored with any other (rule AUTH-8). */
export const signatureHeaders = [
  {
    name: 'webhook-id',
    description:
      'Only with a key for signed callbacks: your id of the message. Retries keep it, because it ' +
      'is their Idempotency-Key.',
  },
  {
    name: 'webhook-timestamp',
    description:
      'Only with a key for signed callbacks: the time of this attempt in seconds of the Unix ' +
      'epoch, at most five minutes off.',
  },
  {
    name: 'webhook-signature',
    description:
      'Only with a key for signed callbacks: `v1,` and the Base64 of the HMAC-SHA256, under the ' +
      'decoded secret, of id, timestamp and raw body joined by dots.',
  },
].map((header) => ({ ...header, required: false, schema: { type: 'string' as const } }));

const reservationId = '6740b1f2c3d4e5f607182940';
const installment = { reservationId, installmentId: 'installment-1' };
export const collectedExample = {
  ...installment,
  chequeStatus: 'collected',
  chequeNumber: '000123',
  chequeAmount: 250_000,
};
export const bouncedExample = { ...installment, chequeStatus: 'bounced' };

/** Each example succeeds after the ones before it. */
export const callbackExamples = {
  'The reservation is approved': { reservationId, reservationStatus: 'approved' },
  'A cheque was collected': collectedExample,
  'A cheque bounced': bouncedExample,
  'The reservation is canceled': { reservationId, reservationStatus: 'canceled' },
};
