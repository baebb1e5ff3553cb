import { applyDecorators } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExtension, ApiOperation, type ApiOperationOptions } from '@nestjs/swagger';
import { commonErrors, permissionErrors } from '../errors/authentication-errors.js';
import type { Operation } from '../operations.js';
import type { RouteOptions } from '../server/route-options.js';
import { type DocumentedError, DocumentedErrors, DocumentedPolling } from './api-documentation.js';

interface EndpointOptions extends ApiOperationOptions {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** The operation that the API key must permit; null where the endpoint needs no key. */
  readonly permission: Operation | null;
  /** How it differs from other endpoints. */
  readonly route?: Omit<RouteOptions, 'isPublic' | 'permission'>;
  /** The errors of its own. */
  readonly errors: readonly DocumentedError[];
  /** Other errors of every endpoint with an API key than the usual ones. */
  readonly common?: readonly DocumentedError[];
  /** Whether it responds with entity tags and 304. */
  readonly isPolled?: true;
}

/** Declares an endpoint: the operation that its key must permit, its route and its documentation. */
export function Endpoint({
  permission,
  route,
  errors,
  common = commonErrors,
  isPolled,
  ...operation
}: EndpointOptions): MethodDecorator {
  const polling = isPolled ? [DocumentedPolling()] : [];
  if (permission === null) {
    const options: RouteOptions = { ...route, isPublic: true };
    const documentation = [ApiOperation(operation), DocumentedErrors(...errors, ...common)];
    return applyDecorators(RouteConfig(options), ...documentation, ...polling);
  }
  const options: RouteOptions = { ...route, permission };
  const description = `${operation.description}\n\nThe API key needs the permission \`${permission}\`.`;
  return applyDecorators(
    RouteConfig(options),
    ApiOperation({ ...operation, description }),
    ApiExtension('x-permission', permission),
    DocumentedErrors(...errors, ...common, ...permissionErrors),
    ...polling,
  );
}
