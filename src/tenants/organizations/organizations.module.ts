import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { TenantCollectionsModule } from '../../core/database/documents/tenant-collections.module.js';
import { organizationSchema } from './organization.schema.js';
import { OrganizationDirectoryService } from './organization-directory.service.js';
import { OrganizationsRepository } from './organizations.repository.js';
import { UsersRepository, userSchema } from './users.repository.js';

/** The tenants and their people. */
@Module({
  imports: [
    MongooseModule.forFeature([{ name: 'Organization', schema: organizationSchema }]),
    TenantCollectionsModule.forFeature({
      name: 'User',
      schema: userSchema,
      hasForeignFields: true,
    }),
  ],
  providers: [OrganizationsRepository, UsersRepository, OrganizationDirectoryService],
  exports: [OrganizationsRepository, UsersRepository, OrganizationDirectoryService],
})
export class OrganizationsModule {}
