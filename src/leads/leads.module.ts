import { Module } from '@nestjs/common';
import { TenantCollectionsModule } from '../core/database/documents/tenant-collections.module.js';
import { TenantsModule } from '../tenants/tenants.module.js';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { WritesModule } from '../core/writes/writes.module.js';
import { EventsModule } from '../events/events.module.js';
import { LeadImportsService } from './import/lead-imports.service.js';
import { LeadErasuresService } from './erasure/lead-erasures.service.js';
import { LeadPhoneKeys } from './phones/lead-phone-keys.js';
import { leadSchema } from './lead.schema.js';
import { LeadsController } from './leads.controller.js';
import { LeadsRepository } from './leads.repository.js';
import { LeadLookupService } from './lead-lookup.service.js';
import { LeadsService } from './leads.service.js';
import { LeadWrites } from './upsert/lead-writes.js';

@Module({
  imports: [
    TenantsModule,
    CatalogueModule,
    WritesModule,
    EventsModule,
    TenantCollectionsModule.forFeature({
      name: 'Lead',
      schema: leadSchema,
      hasForeignFields: true,
    }),
  ],
  controllers: [LeadsController],
  providers: [
    LeadsRepository,
    LeadWrites,
    LeadLookupService,
    LeadsService,
    LeadPhoneKeys,
    LeadErasuresService,
    LeadImportsService,
  ],
  exports: [
    LeadsRepository,
    LeadLookupService,
    LeadsService,
    LeadPhoneKeys,
    LeadErasuresService,
    LeadImportsService,
  ],
})
export class LeadsModule {}
