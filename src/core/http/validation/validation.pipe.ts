import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { validate, validateSync, type ValidationError } from 'class-validator';
import type { Message } from '../../localization/messages.service.js';
import { isPlainObject } from '../../values/plain-object.js';
import { DomainError } from '../errors/domain-error.js';
import { httpErrors } from '../errors/http-errors.js';
import { type DtoClass, instantiate } from './field.js';
import { unknownNameMessages } from './unknown-names.js';

const options = { forbidUnknownValues: false };

/** What class-validator calls its check that there is something to look into. */
const nestedValidation = 'nestedValidation';

/**
 * Makes DTOs of bodies, queries and path parameters, and rejects what breaks their rules, or is not
 * known (rule HTTP-20), with one message for each broken rule (rule HTTP-5).
 */
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

/** A DTO of a file's entry, and one message for each rule that the entry breaks. */
export function checkedDto(
  type: DtoClass,
  sent: Readonly<Record<string, unknown>>,
): { readonly dto: object; readonly messages: readonly Message[] } {
  const dto = instantiate(type, sent);
  const broken = validateSync(dto, options).flatMap((error) => messagesOf(error));
  return { dto, messages: distinct([...unknownNameMessages('body', type, sent), ...broken]) };
}

/**
 * Checks the rules of a DTO.
 *
 * @param others what is known to be wrong already
 * @throws DomainError 400 with one message for each broken rule (rule HTTP-5)
 */
export async function assertValid(dto: object, others: readonly Message[] = []): Promise<void> {
  const errors = await validate(dto, options);
  const messages = [...others, ...errors.flatMap((error) => messagesOf(error))];
  if (messages.length > 0) {
    throw new DomainError(httpErrors.validationFailed, distinct(messages));
  }
}

/** A field that may be sent in two places has the same name in both. */
function distinct(messages: readonly Message[]): Message[] {
  return [...new Map(messages.map((message) => [JSON.stringify(message), message])).values()];
}

function messagesOf({ property: field, ...error }: ValidationError, parent = ''): Message[] {
  const property = `${parent}${field}`;
  const contexts: Record<string, Message['values']> = error.contexts ?? {};
  const broken = Object.entries(error.constraints ?? {});
  // What is no list is not reported as no object too.
  const rules = broken.length === 1 ? broken : broken.filter(([rule]) => rule !== nestedValidation);
  const own = rules.map(([rule, message]) => ({
    key: `validation.${message}`,
    values: { property, ...contexts[rule] },
  }));
  const nested = error.children?.flatMap((child) => messagesOf(child, `${property}.`)) ?? [];
  return [...own, ...nested];
}
