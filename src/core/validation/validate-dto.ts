import type { ValidationError } from '@nestjs/common';
import { validateSync } from 'class-validator';
import { DomainError } from '../errors/domain-error.js';
import { httpErrors } from '../errors/http-errors.js';
import type { LocalizedMessage } from '../localization/messages.service.js';
import { type DtoClass, readDto, type ReadDto } from './dto-reader.js';

/** `forbidUnknownValues` would refuse classes without fields. Errors must not hold values that were sent. */
export const validatorOptions = {
  forbidUnknownValues: false,
  validationError: { target: false, value: false },
};

export function validatedDto(
  type: DtoClass,
  sent: object,
): { readonly dto: object; readonly messages: readonly LocalizedMessage[] } {
  const read = readDto(type, sent);
  return { dto: read.dto, messages: messagesOf(brokenFields(read.dto, read)) };
}

/** @throws DomainError 400 with one message per broken rule (rule HTTP-5) */
export function assertValid(dto: object): void {
  throwIfAny(brokenFields(dto));
}

/** @throws DomainError 400 that names the refused names (rule HTTP-20) */
export function assertKnown(read: ReadDto): void {
  throwIfAny(refusedFields(read));
}

function throwIfAny(errors: readonly ValidationError[]): void {
  if (errors.length > 0) throw validationFailed(errors);
}

export function validationFailed(errors: readonly ValidationError[]): DomainError {
  return new DomainError(httpErrors.validationFailed, messagesOf(errors));
}

/** Unknown names come first. */
export function brokenFields(dto: object, read?: ReadDto): ValidationError[] {
  const errors = validateSync(dto, validatorOptions);
  return read === undefined ? errors : [...refusedFields(read), ...errors];
}

const unknownNameRules = { query: 'unknownParameter', body: 'unknownField' };

function refusedFields({ refused, part }: ReadDto): ValidationError[] {
  const rule = unknownNameRules[part];
  return refused.map((property) => ({ property, constraints: { [rule]: rule } }));
}

/** A field that may be sent in two places has one name, so its messages repeat. */
function messagesOf(errors: readonly ValidationError[]): LocalizedMessage[] {
  const messages = errors.flatMap((error) => fieldMessages(error));
  return [...new Map(messages.map((message) => [JSON.stringify(message), message])).values()];
}

const nestedValidation = 'nestedValidation';
const messageNames: Readonly<Record<string, string>> = { [nestedValidation]: 'isObject' };

function fieldMessages(
  { property: field, ...error }: ValidationError,
  parent = '',
): LocalizedMessage[] {
  const contexts: Record<string, LocalizedMessage['values']> = error.contexts ?? {};
  const property = `${parent}${field}`;
  const broken = Object.keys(error.constraints ?? {});
  // A value that is not a list is reported once, not also as a non-object.
  const names = broken.length === 1 ? broken : broken.filter((name) => name !== nestedValidation);
  const own = names.map((name) => {
    const { rule = messageNames[name] ?? name, ...values } = contexts[name] ?? {};
    return { key: `validation.${rule}`, values: { property, ...values } };
  });
  const nested = error.children?.flatMap((child) => fieldMessages(child, `${property}.`)) ?? [];
  return [...own, ...nested];
}
