import { Controller, Get, HttpStatus, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { generalErrors } from '../core/errors/http-errors.js';
import { DocumentedResponse, ignoredFieldsHeader } from '../core/http/api-documentation.js';
import { Endpoint } from '../tenants/keys/endpoint.js';
import { HealthDto, HealthService, healthy, unhealthy } from './health.service.js';

/** Needs no key, because probes have none (rule HTTP-3). */
@ApiTags('Health')
@Controller('healthz')
export class HealthController {
  constructor(private readonly health: HealthService) {}

  @Get()
  @Endpoint({
    operationId: 'checkHealth',
    operation: null,
    summary: 'Check the health of the service',
    description: 'Needs no API key.',
    errors: [],
    common: generalErrors,
  })
  @DocumentedResponse(200, HealthDto, 'The database responds.', ignoredFieldsHeader, healthy)
  @DocumentedResponse(
    503,
    HealthDto,
    'The database does not respond, or the service is shutting down; `ok` is false.',
    ignoredFieldsHeader,
    unhealthy,
  )
  async check(@Res({ passthrough: true }) reply: FastifyReply): Promise<HealthDto> {
    const health = await this.health.check();
    if (!health.ok) void reply.status(HttpStatus.SERVICE_UNAVAILABLE);
    return health;
  }
}
