import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { duplicateKey } from '../../core/database/connection/database-errors.js';
import { DomainError } from '../../core/http/errors/domain-error.js';
import { defaultLanguage } from '../../core/localization/language.js';
import { MessagesService } from '../../core/localization/messages.service.js';
import { CatalogueRepository } from '../../catalogue/catalogue.repository.js';
import { referencesOf } from '../../core/fields/declared-fields.js';
import {
  type Catalogue,
  type CatalogueFile,
  type ImportError,
  type Kind,
  type LocatedEntry,
  entryTypes,
  kinds,
  readCatalogue,
} from './catalogue-file.js';
import { CatalogueImportRepository } from './catalogue-import.repository.js';

export function slugsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? (value as string[]) : [];
}

@Injectable()
export class CatalogueChecks {
  constructor(
    private readonly catalogue: CatalogueRepository,
    private readonly imports: CatalogueImportRepository,
    private readonly messages: MessagesService,
  ) {}

  /** Reads a file and checks its entries against each other and against stored documents. */
  async read(
    organizationId: Types.ObjectId,
    text: string,
  ): Promise<Pick<CatalogueFile, 'catalogue' | 'errors'>> {
    const file = readCatalogue(text, (message) => this.messages.textOf(message, defaultLanguage));
    const { catalogue } = file;
    const errors = [
      ...file.errors,
      ...kinds.flatMap((kind) => repeated(catalogue[kind], 'slug', ({ entry }) => entry.slug)),
      ...repeated(catalogue.units, 'recordSystemId', ({ entry }) => entry.recordSystemId),
      ...repeated(catalogue.units, 'unitId', ({ entry }) =>
        JSON.stringify([entry.compound, entry.unitId]),
      ),
      ...(await this.unknownReferences(organizationId, file)),
      ...(await this.phasesOfOtherCompounds(organizationId, catalogue)),
      ...(await this.conflictingIds(organizationId, catalogue.units)),
    ];
    return { catalogue, errors };
  }

  private async unknownReferences(
    organizationId: Types.ObjectId,
    { catalogue, slugs: slugsInFile }: CatalogueFile,
  ): Promise<ImportError[]> {
    const references = kinds.flatMap((from) =>
      catalogue[from].flatMap(({ location, entry }) =>
        referencesOf(entryTypes[from]).flatMap(({ field, kind }) =>
          slugsOf(entry[field])
            .map((slug, index) => {
              const path = Array.isArray(entry[field]) ? `${field}.${index}` : field;
              return { location: `${location}.${path}`, kind, slug };
            })
            .filter(({ slug }) => !slugsInFile.get(kind)?.has(slug)),
        ),
      ),
    );
    const errors: ImportError[] = [];
    for (const [kind, ofKind] of Map.groupBy(references, (reference) => reference.kind)) {
      const slugs = ofKind.map(({ slug }) => slug);
      const stored = await this.catalogue.idsBySlugs(kind, organizationId, slugs);
      const unknown = ofKind.filter(({ slug }) => !stored.has(slug));
      errors.push(
        ...unknown.map(({ location, slug }) => ({
          location,
          message: `there is nothing in ${kind} with slug ${slug}`,
        })),
      );
    }
    return errors;
  }

  private async phasesOfOtherCompounds(
    organizationId: Types.ObjectId,
    { phases, units }: Catalogue,
  ): Promise<ImportError[]> {
    const compoundOf = new Map(phases.map(({ entry }) => [entry.slug, entry.compound]));
    const notInFile = units.filter(({ entry }) => entry.phase && !compoundOf.has(entry.phase));
    const stored = await this.catalogue.phasesBySlugs(
      organizationId,
      notInFile.map(({ entry }) => entry.phase ?? ''),
    );
    const parents = new Map(stored.toReversed().map(({ slug, parentId }) => [slug, parentId]));
    const compounds = await this.catalogue.idsBySlugs(
      'compounds',
      organizationId,
      notInFile.map(({ entry }) => entry.compound),
    );
    const isOfOtherCompound = ({ entry: { phase, compound } }: LocatedEntry<'units'>) => {
      if (!phase) return false;
      const own = compoundOf.get(phase);
      if (own !== undefined) return own !== compound;
      const parentId = parents.get(phase);
      return parentId !== undefined && !compounds.get(compound)?.equals(parentId);
    };
    return units.filter(isOfOtherCompound).map(({ location }) => {
      return { location: `${location}.phase`, message: 'is a phase of another compound' };
    });
  }

  /** Ids of stored units with another slug. */
  async conflictingIds(
    organizationId: Types.ObjectId,
    units: readonly LocatedEntry<'units'>[],
  ): Promise<ImportError[]> {
    const errors: ImportError[] = [];
    const compounds = await this.catalogue.idsBySlugs(
      'compounds',
      organizationId,
      units.map(({ entry }) => entry.compound),
    );
    for (const field of ['recordSystemId', 'unitId'] as const) {
      const values = units.flatMap(({ entry }) => entry[field] ?? []);
      const stored = await this.imports.unitsWithId(organizationId, field, values);
      const unitsWithId = Map.groupBy(stored, (unit) => unit[field]);
      for (const { location, entry } of units) {
        const compoundId = compounds.get(entry.compound);
        const isTaken = (unitsWithId.get(entry[field]) ?? []).some(
          (unit) =>
            unit.slug !== entry.slug &&
            (field === 'recordSystemId' || compoundId?.equals(unit.compoundId)),
        );
        const message = 'belongs to a stored unit with another slug';
        if (isTaken) errors.push({ location: `${location}.${field}`, message });
      }
    }
    return errors;
  }

  /** Why an entry that was checked could not be stored. */
  reasonOf(error: unknown): string {
    if (duplicateKey(error)) return 'another process keeps storing the same slugs or ids';
    if (!(error instanceof DomainError))
      return error instanceof Error ? error.message : String(error);
    return error.messages
      .map((message) => this.messages.textOf(message, defaultLanguage))
      .join('; ');
  }
}

function repeated<K extends Kind>(
  entries: readonly LocatedEntry<K>[],
  field: string,
  keyOf: (item: LocatedEntry<K>) => string | undefined,
): ImportError[] {
  const first = new Map<string, string>();
  return entries.flatMap((item) => {
    const key = keyOf(item);
    if (key === undefined) return [];
    const before = first.get(key);
    if (before === undefined) first.set(key, item.location);
    return before === undefined
      ? []
      : [{ location: `${item.location}.${field}`, message: `repeats that of ${before}` }];
  });
}
