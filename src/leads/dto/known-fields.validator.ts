import { applyDecorators } from '@nestjs/common';
import { isEmail, ValidateBy, type ValidationArguments } from 'class-validator';
import { ruleMessage } from '../../http/validation/rule-message.js';

type Data = Record<string, unknown>;

const texts = ['name', 'email', 'project', 'leadSource'] as const;
const phones = ['phoneNumber', 'phoneNumber2'] as const;

/**
 * Checks the known keys of a lead's `data` ("Leads" 4): texts or null, phones also integers, an
 * email that is not empty valid. Objects in their place would reach database queries.
 */
export function HasValidKnownFields(): PropertyDecorator {
  return applyDecorators(
    ...texts.map((key) => rule(key, 'isStringOrNull', `data.${key}`, isTextOrNull)),
    ...phones.map((key) => rule(key, 'isPhoneOrNull', `data.${key}`, isPhoneOrNull)),
    rule('email', 'isEmail', 'email', isNoTextOrEmail),
  );
}

function rule(
  key: string,
  message: string,
  property: string,
  isValid: (value: unknown) => boolean,
): PropertyDecorator {
  return ValidateBy(
    {
      name: `${key}-${message}`,
      validator: {
        validate: (_value: unknown, args?: ValidationArguments) => {
          const { data } = (args?.object ?? {}) as { data?: unknown };
          return typeof data !== 'object' || data === null || isValid((data as Data)[key]);
        },
      },
    },
    { message: ruleMessage(`validation.${message}`, { property }) },
  );
}

function isTextOrNull(value: unknown): boolean {
  return value === undefined || value === null || typeof value === 'string';
}

function isPhoneOrNull(value: unknown): boolean {
  return isTextOrNull(value) || Number.isSafeInteger(value);
}

function isNoTextOrEmail(value: unknown): boolean {
  return typeof value !== 'string' || value === '' || isEmail(value);
}
