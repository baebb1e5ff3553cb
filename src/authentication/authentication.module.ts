import { Module } from '@nestjs/common';
import { TenantCollectionsModule } from '../database/documents/tenant-collections.module.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { ApiKeyAuthenticator } from './api-key-authenticator.js';
import { ApiKeyCheck } from './api-key-check.js';
import { apiKeySchema } from './api-key.schema.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { ApiKeysService } from './api-keys.service.js';

/** API keys: their check and their management. */
@Module({
  imports: [
    OrganizationsModule,
    TenantCollectionsModule.forFeature({ name: 'ApiKey', schema: apiKeySchema }),
  ],
  providers: [ApiKeysRepository, ApiKeysService, ApiKeyAuthenticator, ApiKeyCheck],
  exports: [ApiKeysService],
})
export class AuthenticationModule {}
