import { applyDecorators } from '@nestjs/common';
import { ApiOperation, type ApiOperationOptions } from '@nestjs/swagger';
import { commonErrors } from '../errors/authentication-errors.js';
import { type DocumentedError, DocumentedErrors, DocumentedPolling } from './api-documentation.js';

interface EndpointDocumentation extends ApiOperationOptions {
  readonly operationId: string;
  readonly summary: string;
  /** The errors of its own. */
  readonly errors: readonly DocumentedError[];
  /** Other errors of every endpoint with an API key than the usual ones. */
  readonly common?: readonly DocumentedError[];
  /** Whether it responds with entity tags and 304. */
  readonly isPolled?: true;
}

/** Documents an endpoint with its errors. */
export function Endpoint({
  errors,
  common = commonErrors,
  isPolled,
  ...operation
}: EndpointDocumentation): MethodDecorator {
  return applyDecorators(
    ApiOperation(operation),
    ...(isPolled ? [DocumentedPolling()] : []),
    DocumentedErrors(...errors, ...common),
  );
}
