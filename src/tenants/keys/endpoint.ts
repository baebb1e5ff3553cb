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
import { commonErrors, permissionErrors } from './key-errors.js';
import type { Operation } from './permissions.js';

interface EndpointOptions extends ApiOperationOptions {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** An endpoint whose permission is null is public. */
  readonly permission: Operation | null;
  readonly route?: Omit<RouteOptions, 'isPublic' | 'permission' | 'keyErrors'>;
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
  const description = `${operation.description}\n\nThe API key needs the permission \`${permission}\`.`;
  return applyDecorators(
    RouteConfig({ ...route, permission, keyErrors: common } satisfies RouteOptions),
    ApiOperation({ ...operation, description }),
    ApiExtension('x-permission', permission),
    DocumentedErrors([...errors, ...common, ...permissionErrors(permission)]),
    ...polling,
    ...(isCached ? [UseInterceptors(ResponseCacheInterceptor)] : []),
  );
}
