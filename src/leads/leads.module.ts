import { Module } from '@nestjs/common';
import { TenantCollectionsModule } from '../core/database/documents/tenant-collections.module.js';
import { TenantsModule } from '../tenants/tenants.module.js';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { IdempotencyModule } from '../core/idempotency/idempotency.module.js';
import { EventsModule } from '../events/events.module.js';
import { LeadImportsService } from './import/lead-imports.service.js';
import { LeadErasuresService } from './erasure/lead-erasures.service.js';
import { LeadPhoneKeys } from './phones/lead-phone-keys.js';
import { leadSchema } from './lead.schema.js';
import { LeadsController } from './leads.controller.js';
import { LeadsRepository } from './leads.repository.js';
import { LeadLookupService } from './lead-lookup.service.js';
import { LeadBatchesService } from './lead-batches.service.js';
import { LeadsService } from './leads.service.js';
import { LeadStore } from './upsert/lead-store.service.js';

@Module({
  imports: [
    TenantsModule,
    CatalogueModule,
    IdempotencyModule,
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
    LeadStore,
    LeadBatchesService,
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
