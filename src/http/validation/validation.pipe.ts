import { type ArgumentMetadata, Injectable, ValidationPipe } from '@nestjs/common';
import { type ClassConstructor, instanceToPlain } from 'class-transformer';
import type { ValidationError } from 'class-validator';
import type { Message } from '../../localization/messages.js';
import { DomainError } from '../errors/domain-error.js';
import { httpErrors } from '../errors/http-errors.js';
import { declaredFields, instantiate } from './instantiate.js';
import { refusesUnknownParameters } from './query-decorators.js';
import { messageOfRule } from './rule-message.js';

/**
 * Checks bodies, queries and path parameters against their DTO classes and refuses with the
 * catalogue's messages, one for each violated rule (section 7).
 */
@Injectable()
export class RequestValidationPipe extends ValidationPipe {
  constructor() {
    super({
      transform: true,
      transformerPackage: { plainToInstance: instantiate, classToPlain: instanceToPlain },
      exceptionFactory: (errors) =>
        validationFailed(distinct(errors.flatMap((error) => messagesOf(error)))),
    });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (metadata.type === 'body' && !isJsonObject(value))
      throw new DomainError(httpErrors.bodyMustBeObject);
    if (metadata.type === 'query') refuseUnknownParameters(value, metadata.metatype);
    return super.transform(value, metadata) as Promise<unknown>;
  }

  /** Dangerous keys were refused by the parser; what is left is data and stays as it was sent. */
  protected override stripProtoKeys(): void {
    return;
  }

  protected override closeArrayGaps(): void {
    return;
  }
}

function refuseUnknownParameters(query: unknown, type: ArgumentMetadata['metatype']): void {
  if (type === undefined || !refusesUnknownParameters(type)) return;
  const known = declaredFields(type as ClassConstructor<unknown>);
  const unknown = Object.keys(query as object).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  throw validationFailed(
    unknown.map((property) => ({ key: 'validation.unknownParameter', values: { property } })),
  );
}

function isJsonObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function validationFailed(messages: readonly Message[]): DomainError {
  return new DomainError(httpErrors.validationFailed, messages);
}

/** A field that may be sent in two places has the same name in both. */
function distinct(messages: readonly Message[]): Message[] {
  return [...new Map(messages.map((message) => [JSON.stringify(message), message])).values()];
}

function messagesOf(error: ValidationError, parent = ''): Message[] {
  const property = `${parent}${error.property}`;
  const own = Object.entries(error.constraints ?? {}).map(([rule, text]) =>
    messageOfRule(rule, text, property),
  );
  const nested = error.children?.flatMap((child) => messagesOf(child, `${property}.`)) ?? [];
  return [...own, ...nested];
}
