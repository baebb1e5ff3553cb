import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { compoundSchema } from './compound.schema.js';
import { CompoundsRepository } from './compounds.repository.js';
import { CompoundsService } from './compounds.service.js';
import { phaseSchema } from './phase.schema.js';
import { PhasesRepository } from './phases.repository.js';
import { PhasesService } from './phases.service.js';

/** Compounds and their phases. */
@Module({
  imports: [
    MongooseModule.forFeature([
      { name: 'Compound', schema: compoundSchema },
      { name: 'Phase', schema: phaseSchema },
    ]),
  ],
  providers: [CompoundsRepository, CompoundsService, PhasesRepository, PhasesService],
  exports: [CompoundsService, PhasesService],
})
export class CompoundsModule {}
