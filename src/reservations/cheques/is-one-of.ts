import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, ValidateBy } from 'class-validator';
import { MayBeOmitted } from '../../http/validation/field-decorators.js';
import { ruleMessage } from '../../http/validation/rule-message.js';

/** One of some values when it is sent; rejected with two messages (rule CALL-1). */
export function IsOneOf(
  property: string,
  values: readonly string[],
  description: string,
): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: String, enum: [...values], description, example: values[1] }),
    MayBeOmitted(),
    ValidateBy(
      {
        name: 'isValidEnum',
        validator: { validate: (value) => values.includes(value as string) },
      },
      { message: ruleMessage('validation.isValidEnum', { property }) },
    ),
    IsIn(values, {
      message: ruleMessage('validation.isIn', { property, values: values.join(', ') }),
    }),
  );
}
