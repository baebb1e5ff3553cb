import { Injectable, type Type } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { Transactions } from '../../core/database/transactions/transactions.js';
import { type ImportedUnit, UnitImportsService } from '../../units/writing/unit-imports.service.js';
import { CatalogueRepository } from '../../catalogue/catalogue.repository.js';
import { referencesOf, storedFields } from '../../core/fields/declared-fields.js';
import { type ImportDocument, ImportsService } from '../../tenants/imports/imports.service.js';
import { CatalogueChecks, slugsOf } from './catalogue-checks.js';
import {
  entryTypes,
  type ImportError,
  type Kind,
  kinds,
  type LocatedEntry,
} from './catalogue-file.js';
import {
  CatalogueImportRepository,
  type EntryFields,
  type SaveCounts,
} from './catalogue-import.repository.js';

/** Limits of one transaction: entries, and characters of JSON. */
const batchSize = 100;
const maxBatchCharacters = 4_194_304;

/** Called after each commit with the stored entries. */
export type Progress = (done: number, total: number) => void;

export interface ImportOutcome {
  readonly errors: readonly ImportError[];
  readonly counts: readonly (SaveCounts & { readonly kind: Kind })[];
}

/** The batches committed before it stay. */
class ImportInterruptedError extends Error {
  constructor(done: number, total: number, reason: string, cause: unknown) {
    super(
      `The import stopped after ${done} of ${total} entries: ${reason.replace(/\.$/, '')}. ` +
        'Import the file again to finish it.',
      { cause },
    );
  }
}

@Injectable()
export class CatalogueImportsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly catalogue: CatalogueRepository,
    private readonly repository: CatalogueImportRepository,
    private readonly checks: CatalogueChecks,
    private readonly units: UnitImportsService,
    private readonly imports: ImportsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Validates the whole catalogue, then stores it in transactions of a batch each, with events of units. Entries are
   * known by slug, so that a repeated import changes nothing and finishes an interrupted one (rules OPS-5 and OPS-28).
   *
   * @param source the text of a file, or an object with a list for each kind
   * @throws ImportInterruptedError if a batch, or its progress, could not be stored
   */
  async import(
    organizationId: Types.ObjectId,
    source: string | Readonly<Record<string, unknown>>,
    progress: Progress = () => {},
  ): Promise<ImportOutcome> {
    const text = typeof source === 'string' ? source : JSON.stringify(source);
    const { catalogue, errors } = await this.checks.read(organizationId, text);
    if (errors.length > 0) return { errors, counts: [] };
    const total = kinds.reduce((sum, kind) => sum + catalogue[kind].length, 0);
    const counts = kinds.map((kind) => ({ kind, created: 0, updated: 0, unchanged: 0 }));
    const begun = { kind: 'catalogue', total } as const;
    const record = await this.imports.begin(organizationId, begun, this.clock.now());
    let done = 0;
    const note = (state: ImportDocument['state']) => {
      const [created, updated] = [sumOf(counts, 'created'), sumOf(counts, 'updated')];
      const stored = { state, done, created, updated, refused: 0 };
      return this.imports.update(record, stored, this.clock.now());
    };
    try {
      for (const count of counts) {
        for (const batch of importBatches<LocatedEntry<Kind>>(catalogue[count.kind])) {
          const saved = await this.saveBatch(organizationId, count.kind, batch);
          count.created += saved.created;
          count.updated += saved.updated;
          count.unchanged += saved.unchanged;
          done += batch.length;
          progress(done, total);
          await note('running');
        }
      }
      await note('finished');
    } catch (error) {
      // The same fault may prevent this write.
      await note('interrupted').catch(() => undefined);
      throw new ImportInterruptedError(done, total, this.checks.reasonOf(error), error);
    }
    return { errors, counts };
  }

  private saveBatch(
    organizationId: Types.ObjectId,
    kind: Kind,
    batch: readonly LocatedEntry<Kind>[],
  ): Promise<SaveCounts> {
    return this.transactions.run(async () => {
      // Most slugs have no unique index: two imports at once would both create them.
      const now = this.clock.now();
      await this.transactions.lock(organizationId, ['catalogue-import'], now);
      const entries = await this.fieldsOf(organizationId, kind, batch);
      if (kind !== 'units') return this.repository.save(kind, organizationId, entries, now);
      await this.assertIdsFree(organizationId, batch);
      return this.units.save(organizationId, entries as ImportedUnit[], now);
    });
  }

  /** Units may have been stored since the file was checked. */
  private async assertIdsFree(
    organizationId: Types.ObjectId,
    units: readonly LocatedEntry<'units'>[],
  ): Promise<void> {
    const [conflict] = await this.checks.conflictingIds(organizationId, units);
    if (conflict !== undefined) throw new Error(`${conflict.location} ${conflict.message}`);
  }

  /** Resolves slugs to ids; earlier batches stored the documents. */
  private async fieldsOf(
    organizationId: Types.ObjectId,
    kind: Kind,
    batch: readonly LocatedEntry<Kind>[],
  ): Promise<EntryFields[]> {
    const type: Type = entryTypes[kind];
    const entries = batch.map(({ entry }) => ({ ...storedFields(type, entry), slug: entry.slug }));
    for (const { field, kind: to, storedAs } of referencesOf(type)) {
      const slugs = new Set(batch.flatMap(({ entry }) => slugsOf(entry[field])));
      const ids = await this.catalogue.idsBySlugs(to, organizationId, [...slugs]);
      const missing = [...slugs].find((slug) => !ids.has(slug));
      if (missing !== undefined) throw new Error(`there is nothing in ${to} with slug ${missing}`);
      for (const [index, { entry }] of batch.entries()) {
        if (entry[field] === undefined) continue;
        Object.assign(entries[index] ?? {}, { [storedAs]: idsOf(entry[field], ids) });
      }
    }
    return entries;
  }
}

/** Null removes a reference; undefined keeps it. */
function idsOf(value: unknown, ids: ReadonlyMap<string, Types.ObjectId>): unknown {
  if (typeof value === 'string') return ids.get(value);
  return Array.isArray(value) ? slugsOf(value).map((slug) => ids.get(slug)) : value;
}

function sumOf(counts: readonly SaveCounts[], name: keyof SaveCounts): number {
  return counts.reduce((sum, count) => sum + count[name], 0);
}

function* importBatches<T>(entries: readonly T[]): Generator<T[], void> {
  let batch: T[] = [];
  let characters = 0;
  for (const entry of entries) {
    const length = JSON.stringify(entry).length;
    const isFull = batch.length === batchSize || characters + length > maxBatchCharacters;
    if (isFull && batch.length > 0) {
      yield batch;
      batch = [];
      characters = 0;
    }
    batch.push(entry);
    characters += length;
  }
  if (batch.length > 0) yield batch;
}
