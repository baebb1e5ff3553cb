import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { pollingHeaders } from '../core/http/reference/endpoint.js';
import { UnitDto, UnitsResponseDto } from './unit.dto.js';

const text = { type: 'string' as const };

export function DocumentedExport(): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(UnitsResponseDto, UnitDto),
    ApiResponse({
      status: 200,
      description: 'The units.',
      headers: {
        vary: {
          description: 'The headers of a request that responses to it may depend on.',
          schema: { ...text, example: 'api-key, language, accept-encoding, accept' },
        },
        'x-updated-as-of': pollingHeaders['x-updated-as-of'],
        'x-next-cursor': pollingHeaders['x-next-cursor'],
        'content-disposition': {
          description: 'Names a file.',
          schema: { ...text, example: 'attachment; filename="units.csv"' },
        },
        'x-total-count': { description: 'How many units match.', schema: { type: 'integer' } },
        'x-truncated': {
          description:
            'true when more follow than an export may have: send x-next-cursor as after.',
          schema: { ...text, enum: ['true'] },
        },
      },
      content: {
        'application/json': { schema: { $ref: getSchemaPath(UnitsResponseDto) } },
        'application/x-ndjson': {
          schema: { ...text, description: 'One unit a line, each as in the JSON form.' },
        },
        'text/csv': {
          schema: {
            ...text,
            description:
              'RFC 4180 with a header line; lists are separated by |. Where a spreadsheet would ' +
              "evaluate a text (=, +, - or @ begins it or a line, or follows ;, a comma or a tab), it is prefixed with '.",
          },
        },
      },
    }),
  );
}

export const unitExamples = {
  'A unit of a compound': {
    recordSystemId: 'ERP-4711',
    unitId: 'PM-V-901',
    name: { 'en-us': 'Garden Villa PM-V-901', 'ar-eg': 'فيلا بحديقة PM-V-901' },
    compound: 'palm-meadows',
    phase: 'palm-meadows-date-grove',
    propertyType: 'villa',
    amenities: ['Swimming Pool', 'Gym'],
    price: 12_500_000,
    bua: 260,
    beds: 3,
    floor: { name: 'Ground' },
    listingType: ['sale'],
    status: 'Available',
  },
  'A new price': { unitId: 'PM-A-001', compound: 'palm-meadows', price: 7_450_000 },
};

export const unitLinks = {
  read: { operationId: 'readUnit', parameters: { slug: '$response.body#/unit/slug' } },
};
