import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model, Types } from 'mongoose';
import { TenantCollection, type TenantFilter } from '../database/tenant-collection.js';
import { caseInsensitive } from '../localization/fold-case.js';
import { defaultLanguage, type Language } from '../localization/language.js';
import type { CompoundDocument } from './compound.schema.js';

/** The queries on `compounds`. */
@Injectable()
export class CompoundsRepository {
  private readonly compounds: TenantCollection<CompoundDocument>;

  constructor(@InjectModel('Compound') model: Model<CompoundDocument>) {
    this.compounds = new TenantCollection(model);
  }

  /** Compounds that may be shown under a name in a language; the comparison ignores case. */
  async findByName(
    organizationId: Types.ObjectId,
    name: string,
    language: Language,
  ): Promise<Pick<CompoundDocument, '_id' | 'name'>[]> {
    return this.compounds.find(
      organizationId,
      { ...shownAs(name, language), isDeleted: false },
      { projection: { name: 1 }, sort: { _id: 1 }, collation: caseInsensitive },
    );
  }
}

function shownAs(name: string, language: Language): TenantFilter {
  if (language === defaultLanguage) return { [`name.${language}`]: name };
  const untranslated = { [`name.${language}`]: { $in: [null, ''] } };
  return {
    $or: [{ [`name.${language}`]: name }, { ...untranslated, [`name.${defaultLanguage}`]: name }],
  };
}
