import { Body, type ExecutionContext, Query } from '@nestjs/common';
import type { DtoClass } from './field.js';

type Part = 'query' | 'body';

const keys: Readonly<Record<Part, symbol>> = { query: Symbol('query'), body: Symbol('body') };

export const RequestBody = (): ParameterDecorator => declaring('body', Body());

export const RequestQuery = (): ParameterDecorator => declaring('query', Query());

function declaring(part: Part, inject: ParameterDecorator): ParameterDecorator {
  return (controller, method, index) => {
    inject(controller, method, index);
    if (method === undefined) throw new Error('Constructors have no part of a request.');
    const types = Reflect.getMetadata('design:paramtypes', controller, method) as DtoClass[];
    const { [method]: handler } = controller as Readonly<Record<string | symbol, object>>;
    if (handler !== undefined) Reflect.defineMetadata(keys[part], types[index], handler);
  };
}

export function declaredType(context: ExecutionContext, part: Part): DtoClass | undefined {
  return Reflect.getMetadata(keys[part], context.getHandler()) as DtoClass | undefined;
}
