import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { TenantCollectionsModule } from '../../core/database/documents/tenant-collections.module.js';
import { organizationSchema } from './organization.schema.js';
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
  providers: [OrganizationsRepository, UsersRepository],
  exports: [OrganizationsRepository, UsersRepository],
})
export class OrganizationsModule {}
