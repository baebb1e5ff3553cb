import { Module } from '@nestjs/common';
import { TenantCollectionsModule } from '../database/documents/tenant-collections.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { clientSchema } from './client.schema.js';
import { ClientsRepository } from './clients.repository.js';
import { ClientsService } from './clients.service.js';

/** The clients that leads belong to. */
@Module({
  imports: [
    WebhooksModule,
    TenantCollectionsModule.forFeature({
      name: 'Client',
      schema: clientSchema,
      hasForeignFields: true,
    }),
  ],
  providers: [ClientsRepository, ClientsService],
  exports: [ClientsService],
})
export class ClientsModule {}
