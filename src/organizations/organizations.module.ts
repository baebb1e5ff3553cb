import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { organizationSchema } from './organization.schema.js';
import { OrganizationsRepository } from './organizations.repository.js';
import { OrganizationsService } from './organizations.service.js';

/** The tenants. */
@Module({
  imports: [MongooseModule.forFeature([{ name: 'Organization', schema: organizationSchema }])],
  providers: [OrganizationsRepository, OrganizationsService],
  exports: [OrganizationsService],
})
export class OrganizationsModule {}
