import type { Type } from '@nestjs/common';
import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import type { EventType, pingType } from '../events/outbox/event-types.js';
import { LeadDto, LeadErasureDto } from '../leads/dto/lead.dto.js';
import { ChequeWalletDto, ReservationDto } from '../reservations/reading/reservation.dto.js';
import { ClientDto } from '../leads/clients/client.presenter.js';
import { UnitDto } from '../units/unit.dto.js';

/** The texts have no full stop, because others are appended. */
const eventSummaries: Readonly<Record<EventType | typeof pingType, string>> = {
  'client.created': 'A lead created a client',
  'client.updated': 'A lead changed a client',
  'lead.created': 'A lead was posted for the first time',
  'lead.updated': 'A lead was changed',
  'lead.deleted': 'A lead was deleted',
  'lead.erased': 'A person asked to be erased: delete your data about the lead and its client',
  'unit.created': 'A unit was created',
  'unit.updated': 'A unit was changed, but not by the reservation callback',
  'unit.deleted': 'A unit was retired',
  'reservation.created': 'A reservation was created',
  'reservation.updated': 'A reservation was changed, also by the callback',
  'wallet.created': 'A reservation got its cheque wallet',
  'wallet.updated': 'Cheques of a wallet were added or changed',
  'wallet.deleted': 'A cheque wallet was deleted with its reservation',
  'wallet.restored': 'A deleted cheque wallet is active again',
  'webhook.ping': 'The operator tests the endpoint',
};

const dataTypes: Readonly<Record<string, Type>> = {
  client: ClientDto,
  lead: LeadDto,
  'lead.erased': LeadErasureDto,
  unit: UnitDto,
  reservation: ReservationDto,
  wallet: ChequeWalletDto,
};

export const webhookModels = Object.values(dataTypes);

const exampleChanges: Readonly<Record<string, object>> = {
  'client.updated': { field: 'name', from: 'Mona', to: 'Mona Adel' },
  'lead.updated': { field: 'data.project', from: null, to: 'Palm Meadows' },
  'unit.updated': { field: 'price', from: 12_400_000, to: 12_500_000 },
  'reservation.updated': { field: 'status', from: 'pending_cheque_collection', to: 'approved' },
  'wallet.updated': { field: 'cheques.installment-3.status', from: 'pending', to: 'collected' },
};

type Webhooks = NonNullable<OpenAPIObject['webhooks']>;

const stringSchema = { type: 'string' as const };

/** Every webhook has these headers (rule HOOK-3). */
const headers = [
  {
    name: 'webhook-id',
    description: 'The same for all attempts of an event: store it to handle each event once.',
    schema: { ...stringSchema, pattern: '^msg_[0-9a-f]{24}$' },
    example: 'msg_6b01b58d9ebbd158741896b9',
  },
  {
    name: 'webhook-timestamp',
    description: 'The time of this attempt in seconds of the Unix epoch.',
    schema: { ...stringSchema, pattern: '^[0-9]+$' },
    example: '1893456000',
  },
  {
    name: 'webhook-signature',
    description:
      '`v1,` and the Base64 of the HMAC-SHA256, under the decoded secret, of id, timestamp and raw ' +
      'body joined by dots. During a rotation it contains two signatures, separated by a ' +
      'space: accept either.',
    schema: stringSchema,
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
].map((header) => ({ ...header, in: 'header' as const, required: true }));

const responses = {
  '2XX': {
    description:
      'Received; the body is ignored. Respond with 204 immediately, and process the event later.',
  },
  '410': { description: 'The receiver wants no more events: the service disables the endpoint.' },
  '429': { description: 'Overloaded: all events wait for `Retry-After`.' },
  '4XX': { description: 'Failed: retried, with ten attempts over about two days.' },
  '5XX': { description: 'Failed: retried, with ten attempts over about two days.' },
};

const changesSchema = {
  type: 'array' as const,
  description: 'Changed fields; `from` is null if there was no value, `to` if there is none now.',
  items: {
    type: 'object' as const,
    required: ['field'],
    properties: {
      field: { ...stringSchema, description: 'The field, as a dotted path if nested.' },
      from: { description: 'The value before.' },
      to: { description: 'The value now.' },
      added: {
        type: 'array' as const,
        items: stringSchema,
        description: 'The new phones of a client.',
      },
    },
  },
};

/** Omits tags, for which the page has no chapter (rule HOOK-2). */
export function documentedWebhooks(): Webhooks {
  return Object.fromEntries(
    Object.entries(eventSummaries).map(([type, when]) => [type, { post: requestOf(type, when) }]),
  );
}

function requestOf(type: string, when: string) {
  const data = dataTypes[type] ?? dataTypes[type.split('.')[0] ?? ''];
  const change = exampleChanges[type];
  const properties = {
    type: { ...stringSchema, enum: [type] },
    timestamp: {
      ...stringSchema,
      format: 'date-time',
      description: 'Time of the change.',
      example: '2030-01-01T00:00:00.000Z',
    },
    data: data === undefined ? { type: 'object' as const } : { $ref: getSchemaPath(data) },
    ...(change && { changes: { ...changesSchema, example: [change] } }),
  };
  const schema = { type: 'object' as const, required: Object.keys(properties), properties };
  return {
    operationId: `receive.${type}`,
    summary: when,
    description: `${when}. Signed as Standard Webhooks defines; respond within 15 seconds.`,
    security: [],
    parameters: headers,
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses,
  };
}
