import { applyDecorators, UseInterceptors } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExtension, ApiOperation, type ApiOperationOptions } from '@nestjs/swagger';
import { ResponseCacheInterceptor } from '../../core/http/responses/response-cache.interceptor.js';
import {
  type DocumentedError,
  DocumentedErrors,
  DocumentedPolling,
} from '../../core/http/api-documentation.js';
import type { RouteOptions } from '../../core/http/requests/route-options.js';
import { corsForPages } from '../../core/http/server/cors.js';
import { commonErrors, restrictionErrors } from './key-errors.js';
import { type Operation, pageOperation } from './operations.js';

interface EndpointOptions extends ApiOperationOptions {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** The operation that the key must permit. Null makes the endpoint public; `any key` needs a valid key and no operation. */
  readonly operation: Operation | 'any key' | null;
  readonly route?: Omit<RouteOptions, 'isPublic' | 'operation' | 'needsNoOperation' | 'keyErrors'>;
  readonly errors: readonly DocumentedError[];
  readonly common?: readonly DocumentedError[];
  readonly isPolled?: true;
  /** Repeats its responses for a second (rule DATA-6). */
  readonly isCached?: true;
}

export function Endpoint({
  operation,
  route,
  errors,
  common = commonErrors,
  isPolled,
  isCached,
  ...documentation
}: EndpointOptions): MethodDecorator {
  const polling = isPolled ? [DocumentedPolling()] : [];
  if (operation === null) {
    return applyDecorators(
      RouteConfig({ ...route, isPublic: true }),
      ApiOperation(documentation),
      DocumentedErrors([...errors, ...common]),
      ...polling,
    );
  }
  const restrictions = restrictionErrors(operation);
  return applyDecorators(
    ...(operation === 'any key'
      ? [
          RouteConfig({ ...route, needsNoOperation: true, keyErrors: common }),
          ApiOperation(documentation),
        ]
      : restrictedTo(operation, { ...route, keyErrors: common }, documentation)),
    DocumentedErrors([...errors, ...common, ...restrictions]),
    ...polling,
    ...(isCached ? [UseInterceptors(ResponseCacheInterceptor)] : []),
  );
}

function restrictedTo(
  operation: Operation,
  route: RouteOptions,
  documentation: ApiOperationOptions,
) {
  const cors = operation === pageOperation ? { cors: corsForPages } : {};
  const need = `The API key must permit the operation \`${operation}\`.`;
  return [
    RouteConfig({ ...route, ...cors, operation } satisfies RouteOptions),
    ApiOperation({ ...documentation, description: `${documentation.description}\n\n${need}` }),
    ApiExtension('x-key-operation', operation),
  ];
}
