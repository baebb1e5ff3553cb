import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Document, IndexDescription, IndexDescriptionInfo } from 'mongodb';
import type { Connection, Model } from 'mongoose';
import { documentValidator } from './document-validator.js';
import { Migrations } from './migrations.js';

/** A collection, and what it lacks of what its schema declares. */
export interface CollectionState {
  readonly collection: string;
  readonly exists: boolean;
  readonly missingIndexes: readonly string[];
  readonly validatorIsCurrent: boolean;
}

/** Lets a document that broke the rules before them be changed; a new one and a sound one must not. */
const validationLevel = 'moderate';

const indexNotFound = 27;
const namespaceExists = 48;
const conflictingOperation = 117;

/** Collections, indexes and validators as the schemas declare them. */
@Injectable()
export class DatabaseStructure {
  constructor(
    @InjectConnection() private readonly connection: Connection,
    private readonly migrations: Migrations,
  ) {}

  /**
   * Creates or mends whatever differs and applies the pending migrations; safe to repeat and to run
   * in several processes at once. Indexes of other programs are left alone.
   *
   * @returns the names of the migrations that ran
   */
  async apply(): Promise<string[]> {
    for (const model of this.models()) {
      await this.createCollection(model);
      await this.syncValidator(model);
      await this.syncIndexes(model);
    }
    return this.migrations.apply();
  }

  /** What is there and what is missing, by collection. */
  async status(): Promise<CollectionState[]> {
    const existing = await this.validation();
    const states: CollectionState[] = [];
    for (const model of this.models()) {
      const name = model.collection.collectionName;
      const exists = existing.has(name);
      const indexes = exists ? await model.collection.indexes() : [];
      states.push({
        collection: name,
        exists,
        missingIndexes: missingIndexes(model, indexes).map((index) => index.name ?? ''),
        validatorIsCurrent: isCurrent(model, existing.get(name)),
      });
    }
    return states;
  }

  /** Whether the database has everything that this version of the service relies on. */
  async isComplete(): Promise<boolean> {
    const collections = await this.status();
    const migrations = await this.migrations.states();
    return (
      collections.every((state) => state.missingIndexes.length === 0 && state.validatorIsCurrent) &&
      migrations.every((migration) => migration.state === 'done')
    );
  }

  private models(): Model<unknown>[] {
    return (Object.values(this.connection.models) as Model<unknown>[]).toSorted((a, b) =>
      a.collection.collectionName.localeCompare(b.collection.collectionName),
    );
  }

  private async createCollection(model: Model<unknown>): Promise<void> {
    try {
      await this.connection.createCollection(model.collection.collectionName);
    } catch (error) {
      if (codeOf(error) !== namespaceExists) throw error;
    }
  }

  private async syncValidator(model: Model<unknown>): Promise<void> {
    const name = model.collection.collectionName;
    if (isCurrent(model, (await this.validation()).get(name))) return;
    const validator = documentValidator(model.schema);
    try {
      await this.connection.db?.command({ collMod: name, validator, validationLevel });
    } catch (error) {
      // Another process is setting the same validator.
      if (codeOf(error) !== conflictingOperation) throw error;
    }
  }

  private async syncIndexes(model: Model<unknown>): Promise<void> {
    // One look decides: an index that another process makes meanwhile is not an outdated one.
    const existing = await model.collection.indexes();
    const missing = missingIndexes(model, existing);
    if (missing.length === 0) return;
    for (const { name } of missing) {
      if (existing.some((index) => index.name === name)) await this.dropIndex(model, name);
    }
    await model.collection.createIndexes(missing);
  }

  private async dropIndex(model: Model<unknown>, name = ''): Promise<void> {
    try {
      await model.collection.dropIndex(name);
    } catch (error) {
      if (codeOf(error) !== indexNotFound) throw error;
    }
  }

  private async validation(): Promise<Map<string, Validation>> {
    const collections = (await this.connection.db?.listCollections().toArray()) ?? [];
    return new Map(
      collections.map(({ name, options }: { name: string; options?: Validation }) => [
        name,
        options ?? {},
      ]),
    );
  }
}

/** The options of a collection that decide what may be written. */
interface Validation {
  readonly validator?: Document;
  readonly validationLevel?: string;
}

function isCurrent(model: Model<unknown>, stored: Validation | undefined): boolean {
  return (
    stored?.validationLevel === validationLevel &&
    isDeepStrictEqual(stored.validator, documentValidator(model.schema))
  );
}

function declaredIndexes(model: Model<unknown>): IndexDescription[] {
  return model.schema.indexes().map(([key, { background: _background, ...options }]) => {
    return { key, ...options } as IndexDescription;
  });
}

function missingIndexes(
  model: Model<unknown>,
  existing: readonly IndexDescriptionInfo[],
): IndexDescription[] {
  return declaredIndexes(model).filter(
    (declared) => !existing.some((index) => isSameIndex(index, declared)),
  );
}

/** Compares what was declared; the server adds settings of its own to a stored index. */
function isSameIndex(stored: Document, declared: IndexDescription): boolean {
  const { collation, ...rest } = declared;
  const sameCollation = Object.entries(collation ?? {}).every(
    ([name, value]) => (stored['collation'] as Document | undefined)?.[name] === value,
  );
  const hasCollation = stored['collation'] !== undefined;
  return (
    sameCollation &&
    hasCollation === (collation !== undefined) &&
    isDeepStrictEqual(Object.keys(stored['key'] as Document), Object.keys(rest.key)) &&
    Object.entries(rest).every(([name, value]) => isDeepStrictEqual(stored[name], value))
  );
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown }).code;
}
