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
import { commonErrors, permissionErrors } from './key-errors.js';
import { type Operation, pageOperation } from './permissions.js';

interface EndpointOptions extends ApiOperationOptions {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** An endpoint whose permission is null is public; `any key` needs a valid key and no operation. */
  readonly permission: Operation | 'any key' | null;
  readonly route?: Omit<
    RouteOptions,
    'isPublic' | 'permission' | 'needsNoPermission' | 'keyErrors'
  >;
  readonly errors: readonly DocumentedError[];
  readonly common?: readonly DocumentedError[];
  readonly isPolled?: true;
  /** Repeats its responses for a second (rule DATA-6). */
  readonly isCached?: true;
}

export function Endpoint({
  permission,
  route,
  errors,
  common = commonErrors,
  isPolled,
  isCached,
  ...operation
}: EndpointOptions): MethodDecorator {
  const polling = isPolled ? [DocumentedPolling()] : [];
  if (permission === null) {
    const documentation = [ApiOperation(operation), DocumentedErrors([...errors, ...common])];
    return applyDecorators(RouteConfig({ ...route, isPublic: true }), ...documentation, ...polling);
  }
  const restrictions = permissionErrors(permission);
  return applyDecorators(
    ...(permission === 'any key'
      ? [
          RouteConfig({ ...route, needsNoPermission: true, keyErrors: common }),
          ApiOperation(operation),
        ]
      : permittedBy(permission, { ...route, keyErrors: common }, operation)),
    DocumentedErrors([...errors, ...common, ...restrictions]),
    ...polling,
    ...(isCached ? [UseInterceptors(ResponseCacheInterceptor)] : []),
  );
}

function permittedBy(permission: Operation, route: RouteOptions, operation: ApiOperationOptions) {
  const cors = permission === pageOperation ? { cors: corsForPages } : {};
  const need = `The API key needs the permission \`${permission}\`.`;
  return [
    RouteConfig({ ...route, ...cors, permission } satisfies RouteOptions),
    ApiOperation({ ...operation, description: `${operation.description}\n\n${need}` }),
    ApiExtension('x-permission', permission),
  ];
}
