import { Controller, Get } from '@nestjs/common';
import { ApiSecurity, ApiTags } from '@nestjs/swagger';
import { DocumentedResponse, pollingHeaders } from '../../../core/http/api-documentation.js';
import { RateLimitGuard } from '../../../core/http/rate-limit/rate-limit.guard.js';
import {
  CurrentCaller,
  isPermitted,
  seesOnlyPublic,
} from '../../../core/http/requests/request-caller.js';
import { httpErrors } from '../../../core/errors/http-errors.js';
import type { KeyCaller } from '../caller.js';
import { Endpoint } from '../endpoint.js';
import { operations } from '../operations.js';
import { KeyResponseDto } from './key.dto.js';

/** Tells a partner what its key is for, so that a first call shows a wrong key or restriction (rule AUTH-11). */
@ApiTags('Key')
@ApiSecurity('api-key')
@Controller('key')
export class KeyController {
  constructor(private readonly limits: RateLimitGuard) {}

  @Get()
  @Endpoint({
    operationId: 'readKey',
    operation: 'any key',
    summary: 'Read the API key',
    description: 'Returns what the key of the request permits. Every valid key may call it.',
    errors: [httpErrors.validationFailed],
    isPolled: true,
  })
  @DocumentedResponse(200, KeyResponseDto, 'The key.', { etag: pollingHeaders.etag })
  read(@CurrentCaller() caller: KeyCaller): KeyResponseDto {
    const { apiKeyId, keyName, organization, restrictions, secrets, language } = caller;
    const limit = this.limits.limitOf(caller);
    return {
      data: {
        _id: apiKeyId.toHexString(),
        name: keyName,
        organization: { _id: organization._id.toHexString(), name: organization.name },
        operations: operations.filter((operation) => isPermitted(caller, operation)),
        visibility: seesOnlyPublic(caller) ? 'public' : 'all',
        signed: secrets !== undefined,
        expiresAt: restrictions?.endsAt?.toISOString() ?? null,
        rateLimit: limit && { requestsPerSecond: limit.rps, burst: limit.burst },
        language,
      },
    };
  }
}
