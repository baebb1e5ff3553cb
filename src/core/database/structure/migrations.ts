import { Injectable } from '@nestjs/common';
import { InjectModel, Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { type Model, SchemaTypes, type Types } from 'mongoose';
import { Clock } from '../../configuration/clock.js';
import { type ProgressReporter, reportProgress } from './indexes.js';

@Schema({ collection: 'migrations' })
export class MigrationDocument {
  declare _id: Types.ObjectId;

  @Prop({ required: true })
  version!: number;

  @Prop({ required: true })
  name!: string;

  @Prop({ type: Date, required: true })
  startedAt!: Date;

  @Prop({ type: Date })
  finishedAt!: Date | null;

  /** An interrupted run continues after this document. */
  @Prop({ type: SchemaTypes.ObjectId })
  resumeAfter!: Types.ObjectId | null;
}

export const migrationSchema = SchemaFactory.createForClass(MigrationDocument);

migrationSchema.index({ version: 1 }, { name: 'version', unique: true });

export interface Migration {
  /** Migrations run in the order of their versions. A version is never reused. */
  readonly version: number;
  readonly name: string;
  /** Processes a batch by ascending id, perhaps twice, and returns its last id; null when nothing is left. */
  runBatch(after: Types.ObjectId | null): Promise<Types.ObjectId | null>;
}

@Injectable()
export class Migrations {
  private readonly registered: Migration[] = [];

  constructor(
    @InjectModel('Migration') private readonly model: Model<MigrationDocument>,
    private readonly clock: Clock,
  ) {}

  /** @throws Error when two branches chose the same version, because only one of their migrations would run */
  register(migration: Migration): void {
    const { version, name } = migration;
    const other = this.registered.find((registered) => registered.version === version);
    if (other !== undefined) {
      throw new Error(
        `The migrations "${other.name}" and "${name}" both have version ${version}: ` +
          `give the later one version ${version + 1}.`,
      );
    }
    this.registered.push(migration);
    this.registered.sort((a, b) => a.version - b.version);
  }

  /** A later migration in the database means that a newer version prepares or has prepared it. */
  async status() {
    const documents = await this.model.find().lean();
    const migrations = this.registered.map(({ version, name }) => {
      const document = documents.find((candidate) => candidate.version === version);
      const begun = document?.finishedAt ? 'done' : 'interrupted';
      return { version, name, state: document === undefined ? 'pending' : begun } as const;
    });
    const newest = this.newest?.version ?? 0;
    return { migrations, isOfNewerVersion: documents.some(({ version }) => version > newest) };
  }

  /** Must precede any change, so that running instances of earlier versions do not report differences. */
  async announce(): Promise<void> {
    if (this.newest !== undefined) await this.begin(this.newest);
  }

  /** Two processes may run the same migrations concurrently. @returns names of the migrations that ran */
  async apply(report: ProgressReporter): Promise<string[]> {
    const ran: string[] = [];
    for (const migration of this.registered) {
      if (await this.applyOne(migration, report)) ran.push(migration.name);
    }
    return ran;
  }

  private get newest(): Migration | undefined {
    return this.registered.at(-1);
  }

  private begin({ version, name }: Migration) {
    const fields = { name, startedAt: this.clock.now(), finishedAt: null, resumeAfter: null };
    return this.model.findOneAndUpdate(
      { version },
      { $setOnInsert: fields },
      { upsert: true, returnDocument: 'after', lean: true },
    );
  }

  private async applyOne(migration: Migration, report: ProgressReporter): Promise<boolean> {
    const { version, name } = migration;
    const document = await this.begin(migration);
    if (document?.finishedAt) return false;
    let batches = 0;
    const run = async () => {
      let resumeAfter = document?.resumeAfter ?? null;
      for (;;) {
        resumeAfter = await migration.runBatch(resumeAfter);
        if (resumeAfter === null) break;
        batches += 1;
        await this.model.updateOne({ version }, { $set: { resumeAfter } });
      }
    };
    await reportProgress(
      run(),
      () => `Migration ${version} (${name}): ${batches} batches done`,
      report,
    );
    await this.model.updateOne({ version }, { $set: { finishedAt: this.clock.now() } });
    return true;
  }
}
