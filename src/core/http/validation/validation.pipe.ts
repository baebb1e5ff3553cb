import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { validate, validateSync, type ValidationError } from 'class-validator';
import type { LocalizedMessage } from '../../localization/messages.service.js';
import { isPlainObject } from '../../values/json.js';
import { DomainError } from '../errors/domain-error.js';
import { httpErrors } from '../errors/http-errors.js';
import { type DtoClass, instantiate } from './field.js';
import { unknownNameMessages } from './unknown-names.js';

const options = { forbidUnknownValues: false };

const nestedValidation = 'nestedValidation';

/** Rules HTTP-5 and HTTP-20. */
@Injectable()
export class RequestValidationPipe implements PipeTransform {
  async transform(value: unknown, { type, metatype }: ArgumentMetadata): Promise<unknown> {
    if (type === 'custom') return value;
    if (type === 'body' && !isPlainObject(value))
      throw new DomainError(httpErrors.bodyMustBeObject);
    const sent = value as Record<string, unknown>;
    const dto = instantiate(metatype as DtoClass, sent);
    const isChecked = type === 'query' || type === 'body';
    await assertValid(dto, isChecked ? unknownNameMessages(type, metatype as DtoClass, sent) : []);
    return dto;
  }
}

export function checkedDto(
  type: DtoClass,
  sent: Readonly<Record<string, unknown>>,
): { readonly dto: object; readonly messages: readonly LocalizedMessage[] } {
  const dto = instantiate(type, sent);
  const broken = validateSync(dto, options).flatMap((error) => messagesOf(error));
  return { dto, messages: distinct([...unknownNameMessages('body', type, sent), ...broken]) };
}

/** @throws DomainError 400 with one message per broken rule (rule HTTP-5) */
export async function assertValid(
  dto: object,
  others: readonly LocalizedMessage[] = [],
): Promise<void> {
  const errors = await validate(dto, options);
  const messages = [...others, ...errors.flatMap((error) => messagesOf(error))];
  if (messages.length > 0) {
    throw new DomainError(httpErrors.validationFailed, distinct(messages));
  }
}

/** A field that may be sent in two places has one name. */
function distinct(messages: readonly LocalizedMessage[]): LocalizedMessage[] {
  return [...new Map(messages.map((message) => [JSON.stringify(message), message])).values()];
}

function messagesOf(
  { property: field, ...error }: ValidationError,
  parent = '',
): LocalizedMessage[] {
  const property = `${parent}${field}`;
  const contexts: Record<string, LocalizedMessage['values']> = error.contexts ?? {};
  const broken = Object.entries(error.constraints ?? {});
  // Reports a non-list once, not also as a non-object.
  const rules = broken.length === 1 ? broken : broken.filter(([rule]) => rule !== nestedValidation);
  const own = rules.map(([rule, message]) => ({
    key: `validation.${message}`,
    values: { property, ...contexts[rule] },
  }));
  const nested = error.children?.flatMap((child) => messagesOf(child, `${property}.`)) ?? [];
  return [...own, ...nested];
}
