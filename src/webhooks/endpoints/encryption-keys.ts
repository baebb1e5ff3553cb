import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import { DevelopmentKeysRepository } from './development-keys.repository.js';
import { keyBytes } from '../../core/secrets/secret-box.js';

/** The keys that secrets are sealed with, newest first (rule HOOK-12). */
@Injectable()
export class EncryptionKeys {
  private cached: readonly Buffer[] | undefined;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly developmentKeys: DevelopmentKeysRepository,
  ) {}

  /**
   * ENCRYPTION_KEYS. Outside production, where it may be left out, also a key that is kept in the
   * database itself, so that every process can open what another one has sealed.
   */
  async all(): Promise<readonly Buffer[]> {
    this.cached ??= await this.read();
    return this.cached;
  }

  /** The same keys as they are: where there is none, none is made. */
  async existing(): Promise<readonly Buffer[]> {
    const { ENCRYPTION_KEYS: configured = [], NODE_ENV } = this.environment;
    if (NODE_ENV === 'production') return configured;
    // Secrets from the time before ENCRYPTION_KEYS was set can still be opened.
    const stored = await this.developmentKeys.find();
    return stored === null ? configured : [...configured, Buffer.from(stored, 'base64')];
  }

  private async read(): Promise<readonly Buffer[]> {
    const { ENCRYPTION_KEYS: configured = [], NODE_ENV } = this.environment;
    if (NODE_ENV !== 'production' && configured.length === 0) {
      await this.developmentKeys.insertIfMissing(randomBytes(keyBytes).toString('base64'));
    }
    return this.existing();
  }
}
