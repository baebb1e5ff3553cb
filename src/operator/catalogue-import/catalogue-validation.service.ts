import { Injectable } from '@nestjs/common';
import { instanceToPlain } from 'class-transformer';
import { Types } from 'mongoose';
import { CatalogueRepository } from '../../catalogue/catalogue.repository.js';
import type { Reference } from '../../catalogue/references.js';
import { duplicateKey } from '../../core/database/connection/database-errors.js';
import { DomainError } from '../../core/errors/domain-error.js';
import { defaultLanguage } from '../../core/localization/language.js';
import { MessagesService } from '../../core/localization/messages.service.js';
import {
  type CatalogueFile,
  type ImportError,
  type EntryKind,
  type LocatedEntry,
  entryKinds,
  entryReferences,
  readCatalogue,
} from './catalogue-file.js';
import { CatalogueImportsRepository } from './catalogue-imports.repository.js';

/** Refers to other documents by id instead of slug. */
export type EntryFields = Readonly<Record<string, unknown>> & { readonly slug: string };

interface ResolvedEntries {
  readonly fields: readonly EntryFields[];
  readonly errors: readonly ImportError[];
}

@Injectable()
export class CatalogueValidationService {
  constructor(
    private readonly catalogue: CatalogueRepository,
    private readonly repository: CatalogueImportsRepository,
    private readonly messages: MessagesService,
  ) {}

  /** Checks entries against each other and against stored documents. */
  async read(
    organizationId: Types.ObjectId,
    text: string,
  ): Promise<Pick<CatalogueFile, 'catalogue' | 'errors'>> {
    const file = readCatalogue(text, (message) => this.messages.textOf(message, defaultLanguage));
    const { catalogue } = file;
    const errors = [
      ...file.errors,
      ...entryKinds.flatMap((kind) =>
        duplicates(catalogue[kind], 'slug', ({ entry }) => entry.slug),
      ),
      ...duplicates(catalogue.units, 'recordSystemId', ({ entry }) => entry.recordSystemId),
      ...duplicates(catalogue.units, 'unitId', ({ entry }) =>
        JSON.stringify([entry.compound, entry.unitId]),
      ),
    ];
    for (const kind of entryKinds) {
      const resolved = await this.resolve(organizationId, kind, catalogue[kind], file);
      errors.push(...resolved.errors);
    }
    return { catalogue, errors };
  }

  /** Replaces slugs by ids, and reports references and ids that cannot be stored. */
  async resolve(
    organizationId: Types.ObjectId,
    kind: EntryKind,
    entries: readonly LocatedEntry[],
    file?: CatalogueFile,
  ): Promise<ResolvedEntries> {
    const references = entryReferences[kind] ?? [];
    const fields = entries.map(({ entry }) => fieldsToStore(entry, references));
    const errors: ImportError[] = [];
    for (const { field, kind: to, storedAs } of references) {
      const slugs = entries.flatMap(({ entry }) => slugsOf(entry[field]));
      const ids = await this.catalogue.idsBySlugs(to, organizationId, slugs);
      for (const [index, { location, entry }] of entries.entries()) {
        const value = entry[field];
        if (value === undefined) continue;
        const isList = Array.isArray(value);
        const found = slugsOf(value).map((slug, position) => {
          if (!ids.has(slug) && !file?.slugs.get(to)?.has(slug)) {
            errors.push({
              location: `${location}.${isList ? `${field}.${position}` : field}`,
              message: `no entry of ${to} has the slug ${slug}`,
            });
          }
          return ids.get(slug);
        });
        // Null removes a reference.
        Object.assign(fields[index] ?? {}, { [storedAs]: isList ? found : (found[0] ?? null) });
      }
    }
    if (kind !== 'units') return { fields, errors };
    const units = entries.map((unit, index) => ({
      ...unit,
      compoundId: fields[index]?.['compoundId'] as Types.ObjectId | null,
    }));
    errors.push(
      ...(await this.findPhasesOfOtherCompounds(organizationId, units, file?.catalogue.phases)),
      ...(await this.findConflictingIds(organizationId, units)),
    );
    return { fields, errors };
  }

  private async findPhasesOfOtherCompounds(
    organizationId: Types.ObjectId,
    units: readonly ResolvedUnit[],
    phases: readonly LocatedEntry[] = [],
  ): Promise<ImportError[]> {
    const compoundOf = new Map(phases.map(({ entry }) => [entry.slug, entry.compound]));
    const stored = await this.catalogue.phasesBySlugs(
      organizationId,
      units.flatMap(({ entry: { phase } }) => (phase && !compoundOf.has(phase) ? phase : [])),
    );
    const parents = new Map(stored.toReversed().map(({ slug, parentId }) => [slug, parentId]));
    const isOfOtherCompound = ({ entry: { phase, compound }, compoundId }: ResolvedUnit) => {
      if (!phase) return false;
      const own = compoundOf.get(phase);
      if (own !== undefined) return own !== compound;
      const parentId = parents.get(phase);
      return parentId !== undefined && !compoundId?.equals(parentId);
    };
    return units.filter(isOfOtherCompound).map(({ location }) => {
      return { location: `${location}.phase`, message: 'is a phase of another compound' };
    });
  }

  /** Finds ids that belong to stored units with another slug. */
  private async findConflictingIds(
    organizationId: Types.ObjectId,
    units: readonly ResolvedUnit[],
  ): Promise<ImportError[]> {
    const errors: ImportError[] = [];
    for (const field of ['recordSystemId', 'unitId'] as const) {
      const ids = units.flatMap(({ entry }) => entry[field] ?? []);
      const stored = await this.repository.findUnitsWithIds(organizationId, field, ids);
      const unitsWithId = Map.groupBy(stored, (unit) => unit[field]);
      for (const { location, entry, compoundId } of units) {
        const isTaken = (unitsWithId.get(entry[field]) ?? []).some(
          (unit) =>
            unit.slug !== entry.slug &&
            (field === 'recordSystemId' || compoundId?.equals(unit.compoundId ?? '')),
        );
        const message = 'belongs to a stored unit with another slug';
        if (isTaken) errors.push({ location: `${location}.${field}`, message });
      }
    }
    return errors;
  }

  reasonOf(error: unknown): string {
    if (duplicateKey(error)) return 'another process keeps storing the same slugs or ids';
    if (!(error instanceof DomainError))
      return error instanceof Error ? error.message : String(error);
    return error.messages
      .map((message) => this.messages.textOf(message, defaultLanguage))
      .join('; ');
  }
}

type ResolvedUnit = LocatedEntry & { readonly compoundId: Types.ObjectId | null };

/** Omits references, which entries contain as slugs. */
function fieldsToStore(entry: EntryFields, references: readonly Reference[]) {
  const fields = instanceToPlain(entry) as Record<string, unknown> & EntryFields;
  for (const { field } of references) delete fields[field];
  return fields;
}

function slugsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? (value as string[]) : [];
}

function duplicates(
  entries: readonly LocatedEntry[],
  field: string,
  keyOf: (item: LocatedEntry) => string | undefined,
): ImportError[] {
  const first = new Map<string, string>();
  return entries.flatMap((item) => {
    const key = keyOf(item);
    if (key === undefined) return [];
    const before = first.get(key);
    if (before === undefined) first.set(key, item.location);
    return before === undefined
      ? []
      : [{ location: `${item.location}.${field}`, message: `is already used by ${before}` }];
  });
}
