import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { CatalogueStore } from './catalogue-store.js';
import type { CompoundDocument } from './compound.schema.js';
import type { PhaseDocument } from './phase.schema.js';

/** Compounds and phases as imports see them. */
@Injectable()
export class CompoundStoresService {
  readonly compounds: CatalogueStore<CompoundDocument>;
  readonly phases: CatalogueStore<PhaseDocument>;

  constructor(
    @InjectModel('Compound') compound: Model<CompoundDocument>,
    @InjectModel('Phase') phase: Model<PhaseDocument>,
  ) {
    this.compounds = new CatalogueStore(compound);
    this.phases = new CatalogueStore(phase);
  }
}
