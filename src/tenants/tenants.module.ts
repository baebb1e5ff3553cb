import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { ChangeLogRepository } from './change-log/change-log.repository.js';
import { changeLogSchema } from './change-log/change-log.schema.js';
import { ApiKeyAuthenticator } from './keys/api-key-authenticator.js';
import { ApiKeyGuard } from './keys/api-key.guard.js';
import { apiKeySchema } from './keys/api-key.schema.js';
import { ApiKeysRepository } from './keys/api-keys.repository.js';
import { ApiKeysService } from './keys/api-keys.service.js';
import { AuthFailureLimiter } from './keys/auth-failure-limiter.js';
import { CallbackSignatureGuard } from './keys/callback-signature.guard.js';
import { CallbackSignatures } from './keys/callback-signatures.js';
import { PageOrigins } from './keys/origins/page-origins.js';
import { KeyRestrictionsGuard } from './keys/key-restrictions.guard.js';
import { KeyController } from './keys/self/key.controller.js';
import { organizationSchema } from './organizations/organization.schema.js';
import { OrganizationsRepository } from './organizations/organizations.repository.js';
import { UsersRepository, userSchema } from './organizations/users.repository.js';

const shared = [
  OrganizationsRepository,
  UsersRepository,
  ChangeLogRepository,
  ApiKeysService,
  PageOrigins,
];

/** `app.module.ts` puts them before every route. */
const guards = [ApiKeyGuard, KeyRestrictionsGuard, CallbackSignatureGuard];

@Module({
  imports: [
    MongooseModule.forFeature([
      { name: 'Organization', schema: organizationSchema },
      { name: 'User', schema: userSchema },
      { name: 'ChangeLog', schema: changeLogSchema },
      { name: 'ApiKey', schema: apiKeySchema },
    ]),
  ],
  controllers: [KeyController],
  providers: [
    ...shared,
    ApiKeysRepository,
    ApiKeyAuthenticator,
    AuthFailureLimiter,
    CallbackSignatures,
    ...guards,
  ],
  // Exported for webhooks, which reseal the secrets of signed keys.
  exports: [...shared, ...guards, MongooseModule],
})
export class TenantsModule {}
