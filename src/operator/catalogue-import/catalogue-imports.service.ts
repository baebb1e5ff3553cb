import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { UnitReservationsRepository } from '../../reservations/unit-reservations.repository.js';
import { CatalogueRepository } from '../../catalogue/catalogue.repository.js';
import type { CatalogueDocument } from '../../catalogue/collections/catalogue-document.js';
import { Clock } from '../../core/configuration/clock.js';
import { buildWrite, type DocumentChange } from '../../core/database/documents/document-diff.js';
import { Transactions } from '../../core/database/transactions/transactions.js';
import { type ImportedUnit, decideImport } from '../../units/writing/imported-unit.js';
import { UnitWritesService } from '../../units/writing/unit-writes.service.js';
import { CatalogueValidationService, type EntryFields } from './catalogue-validation.service.js';
import {
  type ImportError,
  type EntryKind,
  entryKinds,
  type LocatedEntry,
} from './catalogue-file.js';

export type SaveCounts = Readonly<Record<'created' | 'updated' | 'unchanged', number>>;

/** Limits of one transaction, in entries and characters of JSON. */
const batchSize = 100;
const maxBatchCharacters = 4_194_304;

/** Called after each commit with the number of stored entries. */
export type Progress = (done: number, total: number) => void;

export interface ImportOutcome {
  readonly errors: readonly ImportError[];
  readonly counts: readonly (SaveCounts & { readonly kind: EntryKind })[];
}

@Injectable()
export class CatalogueImportsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly catalogue: CatalogueRepository,
    private readonly checks: CatalogueValidationService,
    private readonly units: UnitWritesService,
    private readonly reservations: UnitReservationsRepository,
    private readonly clock: Clock,
  ) {}

  /** Returns the errors that the import into an organization without records would return. */
  async check(text: string): Promise<readonly ImportError[]> {
    return (await this.checks.read(new Types.ObjectId(), text)).errors;
  }

  /**
   * Validates the whole catalogue, then stores it batch by batch, with events of units. A repeated import changes
   * nothing or finishes an interrupted one, because slugs identify entries (rules OPS-5 and OPS-28).
   *
   * @param source the content of a file, or an object with a list per kind
   * @throws Error if a batch could not be stored; earlier batches stay
   */
  async import(
    organizationId: Types.ObjectId,
    source: string | Readonly<Record<string, unknown>>,
    progress: Progress = () => {},
  ): Promise<ImportOutcome> {
    const text = typeof source === 'string' ? source : JSON.stringify(source);
    const { catalogue, errors } = await this.checks.read(organizationId, text);
    if (errors.length > 0) return { errors, counts: [] };
    const total = entryKinds.reduce((sum, kind) => sum + catalogue[kind].length, 0);
    const counts = entryKinds.map((kind) => ({ kind, created: 0, updated: 0, unchanged: 0 }));
    let done = 0;
    try {
      for (const count of counts) {
        for (const batch of importBatches(catalogue[count.kind])) {
          const saved = await this.saveBatch(organizationId, count.kind, batch);
          count.created += saved.created;
          count.updated += saved.updated;
          count.unchanged += saved.unchanged;
          done += batch.length;
          progress(done, total);
        }
      }
    } catch (error) {
      const reason = this.checks.reasonOf(error).replace(/\.$/, '');
      throw new Error(
        `The import stopped after ${done} of ${total} entries: ${reason}. Import the file again to finish it.`,
        { cause: error },
      );
    }
    return { errors, counts };
  }

  private saveBatch(
    organizationId: Types.ObjectId,
    kind: EntryKind,
    batch: readonly LocatedEntry[],
  ): Promise<SaveCounts> {
    return this.transactions.run(async () => {
      // Most slugs have no unique index: two concurrent imports would both create them.
      const now = this.clock.now();
      await this.transactions.lock(organizationId, ['catalogue-import'], now);
      // Others may have stored documents since the file was checked.
      const { fields, errors } = await this.checks.resolve(organizationId, kind, batch);
      const [error] = errors;
      if (error !== undefined) throw new Error(`${error.location} ${error.message}`);
      return this.save(organizationId, kind, fields, now);
    });
  }

  private async save(
    organizationId: Types.ObjectId,
    kind: EntryKind,
    entries: readonly EntryFields[],
    now: Date,
  ): Promise<SaveCounts> {
    const slugs = entries.map(({ slug }) => slug);
    const found = await this.catalogue.findBySlugs(kind, organizationId, slugs);
    // If several documents have one slug, the oldest is used.
    const stored = new Map(found.toReversed().map((document) => [document.slug, document]));
    const changeOf =
      kind === 'units'
        ? await this.unitChanges(organizationId, found, now)
        : documentChanges(organizationId, kind, now);
    const changes = entries.flatMap((entry) => changeOf(stored.get(entry.slug), entry) ?? []);
    if (kind === 'units') {
      await this.units.store(organizationId, changes, now);
    } else {
      await this.catalogue.write(kind, organizationId, changes.map(buildWrite));
    }
    const created = changes.filter(({ before }) => before === undefined).length;
    const updated = changes.length - created;
    return { created, updated, unchanged: entries.length - changes.length };
  }

  private async unitChanges(
    organizationId: Types.ObjectId,
    stored: readonly CatalogueDocument[],
    now: Date,
  ): Promise<Compare> {
    const ids = stored.map(({ _id }) => _id);
    const reservations = await this.reservations.statusesByUnit(organizationId, ids);
    return (before, entry) => {
      const statuses = reservations.get(before?._id.toHexString() ?? '') ?? [];
      return decideImport(organizationId, before, entry as ImportedUnit, statuses, now);
    };
  }
}

type Change = DocumentChange<CatalogueDocument>;
/** Returns undefined if nothing differs. */
type Compare = (before: CatalogueDocument | undefined, entry: EntryFields) => Change | undefined;

function documentChanges(organizationId: Types.ObjectId, kind: EntryKind, now: Date): Compare {
  return (before, entry) => {
    if (before === undefined) {
      const times = { isDeleted: false, createdAt: now, updatedAt: now, __v: 0 };
      const standard = kind === 'phases' ? { type: 'Phase' } : {};
      const after = { ...times, ...standard, ...entry, _id: new Types.ObjectId(), organizationId };
      return { before, after };
    }
    const fields = withStoredTranslations(before, entry);
    const after = { ...before, ...fields };
    const isSame = JSON.stringify(after) === JSON.stringify(before);
    return isSame ? undefined : { before, after: { ...after, updatedAt: now } };
  };
}

/** Translations that the entry does not contain stay. */
function withStoredTranslations(document: object, entry: EntryFields): EntryFields {
  const stored = document as Readonly<Record<string, object | undefined>>;
  const texts = ['name', 'description'].filter((field) => entry[field] !== undefined);
  const merged = texts.map((field) => [field, { ...stored[field], ...(entry[field] as object) }]);
  return { ...entry, ...(Object.fromEntries(merged) as object) };
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
