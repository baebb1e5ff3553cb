import {
  type ArgumentMetadata,
  Injectable,
  type Type,
  type ValidationError,
  ValidationPipe,
} from '@nestjs/common';
import { instanceToPlain } from 'class-transformer';
import { DomainError } from '../errors/domain-error.js';
import { httpErrors } from '../errors/http-errors.js';
import { isPlainObject } from '../values/json.js';
import { type DtoClass, readAhead, readPart, refusalOf } from './dto-reader.js';
import { brokenFields, validationFailed, validatorOptions } from './validate-dto.js';

/** Class-transformer copies unknown names, walks free-form objects, and drops keys such as `constructor`. */
const reader = {
  plainToInstance: <T>(type: Type<T>, sent: unknown) =>
    readPart(type as Type<object>, sent as object) as T,
  classToPlain: instanceToPlain,
};

/** One response lists all broken rules and unknown names (rules HTTP-5 and HTTP-20). */
@Injectable()
export class RequestValidationPipe extends ValidationPipe {
  constructor() {
    super({
      transform: true,
      transformerPackage: reader,
      exceptionFactory: validationFailed,
      ...validatorOptions,
    });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (metadata.type === 'body' && !isPlainObject(value)) {
      throw new DomainError(httpErrors.bodyMustBeObject);
    }
    const { type, metatype } = metadata;
    if (type === 'query' && metatype) readAhead(metatype as DtoClass, value as object, type);
    return super.transform(value, metadata);
  }

  protected override validate(dto: object): ValidationError[] {
    return brokenFields(dto, refusalOf(dto));
  }

  /** Bodies with such keys are refused before; in free-form objects `constructor` is a key like any other. */
  protected override stripProtoKeys(): void {}

  /** JSON has no gaps, no binary values: Nest would search every value for them. */
  protected override closeArrayGaps(): void {}

  protected override findNestedBinaryValues(): never[] {
    return [];
  }
}
