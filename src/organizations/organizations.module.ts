import { Module } from '@nestjs/common';
import { TenantCollectionsModule } from '../database/documents/tenant-collections.module.js';
import { organizationSchema } from './organization.schema.js';
import { OrganizationsRepository } from './organizations.repository.js';
import { userSchema } from './user.schema.js';
import { UsersRepository } from './users.repository.js';

/** The tenants and their people. */
@Module({
  imports: [
    TenantCollectionsModule.forFeature(
      { name: 'Organization', schema: organizationSchema },
      { name: 'User', schema: userSchema },
    ),
  ],
  providers: [OrganizationsRepository, UsersRepository],
  exports: [OrganizationsRepository, UsersRepository],
})
export class OrganizationsModule {}
