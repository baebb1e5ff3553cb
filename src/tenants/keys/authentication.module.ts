import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { TenantCollectionsModule } from '../../core/database/documents/tenant-collections.module.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { ApiKeyAuthenticator } from './api-key-authenticator.js';
import { ApiKeyGuard } from './api-key.guard.js';
import { apiKeySchema } from './api-key.schema.js';
import { CallbackSignatures } from './callback-signatures.js';
import { KeyRestrictionsGuard } from './key-restrictions.guard.js';
import { AuthenticationFailures } from './authentication-failures.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { ApiKeysService } from './api-keys.service.js';

/** API keys: the global guard and their management. */
@Module({
  imports: [
    OrganizationsModule,
    TenantCollectionsModule.forFeature({
      name: 'ApiKey',
      schema: apiKeySchema,
      hasForeignFields: true,
    }),
  ],
  providers: [
    ApiKeysRepository,
    ApiKeysService,
    ApiKeyAuthenticator,
    AuthenticationFailures,
    CallbackSignatures,
    ApiKeyGuard,
    { provide: APP_GUARD, useExisting: ApiKeyGuard },
    KeyRestrictionsGuard,
    { provide: APP_GUARD, useExisting: KeyRestrictionsGuard },
  ],
  // Webhooks reseal the secrets of signed keys with their own.
  exports: [ApiKeysService, TenantCollectionsModule],
})
export class AuthenticationModule {}
