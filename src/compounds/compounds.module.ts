import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { HttpModule } from '../http/http.module.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { CompoundListsService } from './compound-lists.service.js';
import { compoundSchema } from './compound.schema.js';
import { CompoundStoresService } from './compound-stores.service.js';
import { CompoundsController } from './compounds.controller.js';
import { CompoundsRepository } from './compounds.repository.js';
import { CompoundsService } from './compounds.service.js';
import { phaseSchema } from './phase.schema.js';
import { PhasesRepository } from './phases.repository.js';
import { PhasesService } from './phases.service.js';

/** Compounds and their phases. */
@Module({
  imports: [
    HttpModule,
    OrganizationsModule,
    MongooseModule.forFeature([
      { name: 'Compound', schema: compoundSchema },
      { name: 'Phase', schema: phaseSchema },
    ]),
  ],
  controllers: [CompoundsController],
  providers: [
    CompoundsRepository,
    CompoundListsService,
    CompoundStoresService,
    CompoundsService,
    PhasesRepository,
    PhasesService,
  ],
  exports: [CompoundsService, CompoundStoresService, PhasesService],
})
export class CompoundsModule {}
