import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { foldCase } from '../../localization/fold-case.js';
import { languages } from '../../localization/language.js';
import type { Localized } from '../../localization/localized.js';
import { UnitReferencesRepository } from '../../catalogue/references/unit-references.repository.js';

type Ids = readonly Types.ObjectId[];

interface Named {
  readonly _id: Types.ObjectId;
  readonly name?: Partial<Localized> | null;
  readonly slug?: string;
}

/** Finds what units refer to by the names that people and other systems use. */
@Injectable()
export class UnitNamesService {
  constructor(private readonly references: UnitReferencesRepository) {}

  /** For each name the amenities that bear it, in any language and case. */
  async amenities(organizationId: Types.ObjectId, names: readonly string[]): Promise<Ids[]> {
    const amenities = await this.references.findAmenitiesNamed(organizationId, names);
    return names.map((name) => idsNamed(amenities, name, namesOf));
  }

  /** For each name or slug the property types that bear it, in any language and case. */
  async propertyTypes(organizationId: Types.ObjectId, names: readonly string[]): Promise<Ids[]> {
    const types = await this.references.findPropertyTypesNamed(organizationId, names);
    return names.map((name) => idsNamed(types, name, (type) => [type.slug, ...namesOf(type)]));
  }

  /** The unit designs with one of the slugs. */
  async unitDesigns(organizationId: Types.ObjectId, slugs: readonly string[]): Promise<Ids> {
    const designs = await this.references.findUnitDesignsBySlugs(organizationId, slugs);
    return designs.map(({ _id }) => _id);
  }
}

function idsNamed<T extends Named>(
  records: readonly T[],
  name: string,
  textsOf: (record: T) => readonly (string | undefined)[],
): Ids {
  const key = foldCase(name);
  return records
    .filter((record) => textsOf(record).some((text) => foldCase(text ?? '') === key))
    .map(({ _id }) => _id);
}

function namesOf({ name }: Named): (string | undefined)[] {
  return languages.map((language) => name?.[language]);
}
