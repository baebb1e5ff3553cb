import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../../configuration/clock.js';
import { CatalogueChecks } from './catalogue-checks.js';
import { type Catalogue, type ImportError, type Kind, kinds } from './catalogue-entries.js';
import { catalogueOf, readCatalogue } from './catalogue-file.js';
import {
  CatalogueImportRepository,
  type EntryFields,
  type SaveCounts,
} from './catalogue-import.repository.js';
import { referenceFields, slugsOf } from './entry-references.js';

/** Entries in one write to the database. */
const batchSize = 500;

/** Called after each batch: how many entries are done, of how many. */
export type Progress = (done: number, total: number) => void;

/** What an import did, by kind; the errors that kept it from beginning. */
export interface ImportOutcome {
  readonly errors: readonly ImportError[];
  readonly counts: readonly (SaveCounts & { readonly kind: Kind })[];
}

/** Imports whole catalogues (rule OPS-5). */
@Injectable()
export class CatalogueImportsService {
  constructor(
    private readonly repository: CatalogueImportRepository,
    private readonly checks: CatalogueChecks,
    private readonly clock: Clock,
  ) {}

  /**
   * Checks a whole catalogue and, when nothing is wrong with it, stores it: entries are known by
   * their slugs, so that importing it again changes nothing. What it does not say stays as it is.
   *
   * @param source the text of a file, or an object with a list for each kind
   */
  async import(
    organizationId: Types.ObjectId,
    source: string | Readonly<Record<string, unknown>>,
    progress: Progress = () => {},
  ): Promise<ImportOutcome> {
    const file = typeof source === 'string' ? readCatalogue(source) : catalogueOf(source);
    const { catalogue } = file;
    const errors = [...file.errors, ...(await this.checks.validate(organizationId, file))];
    if (errors.length > 0) return { errors, counts: [] };
    const total = kinds.reduce((sum, kind) => sum + catalogue[kind].length, 0);
    const counts: (SaveCounts & { kind: Kind })[] = [];
    let done = 0;
    for (const kind of kinds) {
      const entries = await this.fieldsOf(organizationId, kind, catalogue);
      const saved = await this.save(organizationId, kind, entries, (batch) => {
        done += batch;
        progress(done, total);
      });
      counts.push({ kind, ...saved });
    }
    return { errors, counts };
  }

  private async save(
    organizationId: Types.ObjectId,
    kind: Kind,
    entries: readonly EntryFields[],
    saved: (batch: number) => void,
  ): Promise<SaveCounts> {
    const sum = { created: 0, updated: 0, unchanged: 0 };
    for (let start = 0; start < entries.length; start += batchSize) {
      const batch = entries.slice(start, start + batchSize);
      const counts = await this.repository.save(kind, organizationId, batch, this.clock.now());
      sum.created += counts.created;
      sum.updated += counts.updated;
      sum.unchanged += counts.unchanged;
      saved(batch.length);
    }
    return sum;
  }

  /** The entries of a kind with ids for slugs; what they refer to has been stored by then. */
  private async fieldsOf(
    organizationId: Types.ObjectId,
    kind: Kind,
    catalogue: Catalogue,
  ): Promise<EntryFields[]> {
    let entries: EntryFields[] = catalogue[kind].map(({ entry }) => entry);
    for (const { field, kind: to, storedAs } of referenceFields[kind]) {
      const slugs = new Set(entries.flatMap((entry) => slugsOf(entry[field])));
      const ids = await this.repository.idsBySlug(to, organizationId, [...slugs]);
      entries = entries.map((entry) => {
        return { ...entry, [field]: undefined, [storedAs]: idsOf(entry[field], ids) };
      });
    }
    if (kind === 'units') entries = await this.withLocations(organizationId, entries);
    return entries.map(withoutUndefined);
  }

  /** A unit in no phase is in its compound; one whose phase is not sent stays where it is. */
  private async withLocations(
    organizationId: Types.ObjectId,
    units: readonly EntryFields[],
  ): Promise<EntryFields[]> {
    const slugs = units.map(({ slug }) => slug);
    const stored = await this.repository.unitLocations(organizationId, slugs);
    return units.map((unit) => {
      const { slug, compoundId, locationId } = unit as UnitFields;
      if (locationId) return unit;
      const before = stored.get(slug);
      const keepsLocation = locationId === undefined && before?.compoundId?.equals(compoundId);
      return { ...unit, locationId: keepsLocation ? before?.locationId : compoundId };
    });
  }
}

type UnitFields = EntryFields & {
  readonly compoundId: Types.ObjectId;
  readonly locationId?: Types.ObjectId | null;
};

/** Null takes a reference away; undefined leaves it as it is stored. */
function idsOf(value: unknown, ids: ReadonlyMap<string, Types.ObjectId>): unknown {
  if (typeof value === 'string') return ids.get(value);
  return Array.isArray(value) ? slugsOf(value).map((slug) => ids.get(slug)) : value;
}

function withoutUndefined({ slug, ...fields }: EntryFields): EntryFields {
  const set = Object.entries(fields).filter(([, value]) => value !== undefined);
  return { slug, ...Object.fromEntries(set) };
}
