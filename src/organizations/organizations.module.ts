import { Module } from '@nestjs/common';
import { TenantCollectionsModule } from '../database/documents/tenant-collections.module.js';
import { organizationSchema } from './organization.schema.js';
import { OrganizationsRepository } from './organizations.repository.js';
import { OrganizationsService } from './organizations.service.js';
import { userSchema } from './user.schema.js';
import { UsersRepository } from './users.repository.js';
import { UsersService } from './users.service.js';

/** The tenants and their people. */
@Module({
  imports: [
    TenantCollectionsModule.forFeature(
      { name: 'Organization', schema: organizationSchema },
      { name: 'User', schema: userSchema },
    ),
  ],
  providers: [OrganizationsRepository, OrganizationsService, UsersRepository, UsersService],
  exports: [OrganizationsService, UsersService],
})
export class OrganizationsModule {}
