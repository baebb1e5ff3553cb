import { Body, type ExecutionContext, Query } from '@nestjs/common';
import type { DtoClass, RequestPart } from './dto-reader.js';

const partKeys: Readonly<Record<RequestPart, symbol>> = {
  query: Symbol('query'),
  body: Symbol('body'),
};

/** `@Body()`, whose DTO interceptors know. */
export const RequestBody = (): ParameterDecorator => declareRequestPart('body', Body());

/** `@Query()`, whose DTO interceptors know. */
export const RequestQuery = (): ParameterDecorator => declareRequestPart('query', Query());

function declareRequestPart(part: RequestPart, inject: ParameterDecorator): ParameterDecorator {
  return (controller, method, index) => {
    inject(controller, method, index);
    if (method === undefined) throw new Error('Constructors have no part of a request.');
    const types = Reflect.getMetadata('design:paramtypes', controller, method) as DtoClass[];
    const { [method]: handler } = controller as Readonly<Record<string | symbol, object>>;
    if (handler !== undefined) Reflect.defineMetadata(partKeys[part], types[index], handler);
  };
}

export function declaredType(context: ExecutionContext, part: RequestPart): DtoClass | undefined {
  return Reflect.getMetadata(partKeys[part], context.getHandler()) as DtoClass | undefined;
}
