import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { responseHeaders, pollingHeaders } from '../../http/reference/api-documentation.js';
import { UnitDto, UnitsResponseDto } from '../unit.dto.js';

const text = { type: 'string' as const };

/** Documents the three forms of the export. */
export function DocumentedExport(): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(UnitsResponseDto, UnitDto),
    ApiResponse({
      status: 200,
      description: 'The units.',
      headers: {
        ...responseHeaders,
        'x-updated-as-of': pollingHeaders['x-updated-as-of'],
        'x-total-count': { description: 'How many units match.', schema: { type: 'integer' } },
        'x-truncated': {
          description: 'true when more match than an export may have.',
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
              'RFC 4180 with a header line; lists are separated by |. A value that a spreadsheet ' +
              "would evaluate (it begins with =, +, - or @) has a ' in front.",
          },
        },
      },
    }),
  );
}
