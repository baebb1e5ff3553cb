import type { Type } from '@nestjs/common';
import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { typeExample } from '../core/http/reference/type-example.js';

export interface DocumentedEvent {
  /** A sentence without its full stop. */
  readonly when: string;
  readonly data?: Type;
  /** An example, for events with changes. */
  readonly changes?: readonly object[];
}

type Webhooks = NonNullable<OpenAPIObject['webhooks']>;

const text = { type: 'string' as const };

/** Rule HOOK-3. */
const headers = [
  {
    name: 'webhook-id',
    description: 'The same for all attempts of an event: remember it to handle each event once.',
    schema: { ...text, pattern: '^msg_[0-9a-f]{24}$' },
    example: 'msg_6b01b58d9ebbd158741896b9',
  },
  {
    name: 'webhook-timestamp',
    description: 'The time of this attempt in seconds of the Unix epoch.',
    schema: { ...text, pattern: '^[0-9]+$' },
    example: '1893456000',
  },
  {
    name: 'webhook-signature',
    description:
      '`v1,` and the Base64 of the HMAC-SHA256, under the decoded secret, of id, timestamp and raw ' +
      'body joined by dots. During a rotation two of them, separated by a space: accept either.',
    schema: text,
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
].map((header) => ({ ...header, in: 'header' as const, required: true }));

const responses = {
  '2XX': { description: 'Received, whatever the body. Best is 204 at once, the work later.' },
  '410': { description: 'No events are wanted any more: the endpoint is disabled.' },
  '429': { description: 'Too many at once: all events wait for `Retry-After`.' },
  '4XX': { description: 'Repeated, ten attempts over about two days.' },
  '5XX': { description: 'Repeated, ten attempts over about two days.' },
};

const changesSchema = {
  type: 'array' as const,
  description: 'What is different; `from` is null where there was nothing, `to` where nothing is.',
  items: {
    type: 'object' as const,
    required: ['field'],
    properties: {
      field: { ...text, description: 'The field, a dotted path where it lies deeper.' },
      from: { description: 'The value before.' },
      to: { description: 'The value now.' },
      added: { type: 'array' as const, items: text, description: 'The new phones of a client.' },
    },
  },
};

/** Rule HOOK-2. The page has no chapter for their tags. */
export function webhooksOf(events: Readonly<Record<string, DocumentedEvent>>): Webhooks {
  return Object.fromEntries(
    Object.entries(events).map(([type, event]) => [type, { post: requestOf(type, event) }]),
  );
}

function requestOf(type: string, { when, data, changes }: DocumentedEvent) {
  const example = {
    type,
    timestamp: '2030-01-01T00:00:00.000Z',
    data: data === undefined ? {} : typeExample(data),
    ...(changes === undefined ? {} : { changes }),
  };
  return {
    operationId: `receive.${type}`,
    summary: when,
    description: `${when}. Signed as Standard Webhooks say; answer within 15 seconds.`,
    security: [],
    parameters: headers,
    requestBody: {
      required: true,
      content: {
        'application/json': { schema: schemaOf(type, data, changes !== undefined), example },
      },
    },
    responses,
  };
}

function schemaOf(type: string, data: Type | undefined, hasChanges: boolean) {
  return {
    type: 'object' as const,
    required: ['type', 'timestamp', 'data', ...(hasChanges ? ['changes'] : [])],
    properties: {
      type: { ...text, enum: [type] },
      timestamp: { ...text, format: 'date-time', description: 'When it happened.' },
      data: data === undefined ? { type: 'object' as const } : { $ref: getSchemaPath(data) },
      ...(hasChanges ? { changes: changesSchema } : {}),
    },
  };
}
