import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { ENVIRONMENT, type Environment } from '../../configuration/environment.js';
import { duplicateKey } from '../../database/connection/database-errors.js';
import type { DevelopmentKeyDocument } from './development-key.schema.js';
import { keyBytes } from './secret-box.js';

const name = 'encryption';

/** The keys that secrets are sealed with, newest first. */
@Injectable()
export class EncryptionKeys {
  private known: readonly Buffer[] | undefined;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @InjectModel('DevelopmentKey') private readonly model: Model<DevelopmentKeyDocument>,
  ) {}

  /**
   * ENCRYPTION_KEYS. Outside production, where it may be left out, also a key that is kept in the
   * database itself, so that every process can read what another one has sealed.
   */
  async all(): Promise<readonly Buffer[]> {
    this.known ??= await this.read();
    return this.known;
  }

  private async read(): Promise<readonly Buffer[]> {
    const { ENCRYPTION_KEYS: configured = [], NODE_ENV } = this.environment;
    if (NODE_ENV === 'production') return configured;
    // Secrets from the time before ENCRYPTION_KEYS was set stay readable.
    const stored = configured.length > 0 ? await this.find() : await this.findOrMake();
    return stored === null ? configured : [...configured, Buffer.from(stored.key, 'base64')];
  }

  private find(): Promise<DevelopmentKeyDocument | null> {
    return this.model.collection.findOne<DevelopmentKeyDocument>({ name });
  }

  private async findOrMake(): Promise<DevelopmentKeyDocument | null> {
    const key = randomBytes(keyBytes).toString('base64');
    try {
      await this.model.collection.updateOne({ name }, { $setOnInsert: { key } }, { upsert: true });
    } catch (error) {
      if (duplicateKey(error) === undefined) throw error;
    }
    return this.find();
  }
}
