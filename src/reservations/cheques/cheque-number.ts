import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, ValidateBy } from 'class-validator';
import { MayBeOmitted } from '../../http/validation/field-decorators.js';
import { ruleMessage } from '../../http/validation/rule-message.js';

/** Longest number of a cheque; every report is kept, and has to stay small. */
const limit = 256;

/** The number of a cheque when it is sent. */
export function ChequeNumber(): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      type: String,
      maxLength: limit,
      description: 'Stored with the cheque.',
      example: '000123',
    }),
    MayBeOmitted(),
    IsString(),
    ValidateBy(
      {
        name: 'maxLength',
        validator: { validate: (value) => typeof value !== 'string' || value.length <= limit },
      },
      { message: ruleMessage('validation.maxLength', { property: 'chequeNumber', limit }) },
    ),
  );
}
