import { Module } from '@nestjs/common';
import { TenantCollectionsModule } from '../../core/database/documents/tenant-collections.module.js';
import { EventsModule } from '../../events/events.module.js';
import { clientSchema } from './client.schema.js';
import { ClientsRepository } from './clients.repository.js';
import { ClientsService } from './clients.service.js';

/** The clients that leads belong to. */
@Module({
  imports: [
    EventsModule,
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
