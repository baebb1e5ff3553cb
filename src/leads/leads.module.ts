import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { TenantsModule } from '../tenants/tenants.module.js';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { IdempotencyModule } from '../core/idempotency/idempotency.module.js';
import { EventsModule } from '../events/events.module.js';
import { importSchema } from './import/lead-import.schema.js';
import { LeadImportsRepository } from './import/lead-imports.repository.js';
import { LeadImportsService } from './import/lead-imports.service.js';
import { LeadErasuresRepository } from './erasure/lead-erasures.repository.js';
import { LeadErasuresService } from './erasure/lead-erasures.service.js';
import { LeadPhoneKeysRepository } from './phones/lead-phone-keys.repository.js';
import { LeadPhoneKeys } from './phones/lead-phone-keys.js';
import { ClientPhones } from './clients/client-phones.service.js';
import { ClientPhonesRepository } from './clients/client-phones.repository.js';
import { clientSchema } from './clients/client.schema.js';
import { ClientsRepository } from './clients/clients.repository.js';
import { ClientsService } from './clients/clients.service.js';
import { counterSchema } from './counter.schema.js';
import { CountersRepository } from './counters.repository.js';
import { leadSchema } from './lead.schema.js';
import { LeadsController } from './leads.controller.js';
import { LeadsRepository } from './leads.repository.js';
import { LeadLookupService } from './reading/lead-lookup.service.js';
import { LeadListsRepository } from './reading/lead-lists.repository.js';
import { LeadListsService } from './reading/lead-lists.service.js';
import { LeadSearchRepository } from './reading/lead-search.repository.js';
import { LeadBatchesService } from './lead-batches.service.js';
import { LeadsService } from './leads.service.js';
import { LeadWorkingSetService } from './upsert/lead-working-set.service.js';

@Module({
  imports: [
    TenantsModule,
    CatalogueModule,
    IdempotencyModule,
    EventsModule,
    MongooseModule.forFeature([
      { name: 'Lead', schema: leadSchema },
      { name: 'Client', schema: clientSchema },
      { name: 'Counter', schema: counterSchema },
      { name: 'Import', schema: importSchema },
    ]),
  ],
  controllers: [LeadsController],
  providers: [
    ClientsRepository,
    ClientPhonesRepository,
    ClientsService,
    ClientPhones,
    CountersRepository,
    LeadsRepository,
    LeadSearchRepository,
    LeadListsRepository,
    LeadListsService,
    LeadErasuresRepository,
    LeadPhoneKeysRepository,
    LeadWorkingSetService,
    LeadBatchesService,
    LeadLookupService,
    LeadsService,
    LeadPhoneKeys,
    LeadErasuresService,
    LeadImportsRepository,
    LeadImportsService,
  ],
  exports: [
    ClientPhones,
    LeadBatchesService,
    LeadsRepository,
    LeadLookupService,
    LeadsService,
    LeadPhoneKeys,
    LeadErasuresService,
    LeadImportsService,
  ],
})
export class LeadsModule {}
