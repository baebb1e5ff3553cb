import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import { type Connection, Types } from 'mongoose';
import { isSharded } from '../../core/database/connection/topology.js';
import { ChangeWatcher } from '../../core/database/changes/change-watcher.js';
import {
  type CatalogueChange,
  CatalogueChangesRepository,
} from './catalogue-changes.repository.js';

/** How often the server is asked for changes of other programs; a part of the age below. */
const intervalMs = 250;

/** Beyond so many organizations it is forgotten which of them changed when: all count as changed. */
const maxOrganizations = 10_000;

/**
 * Knows for each organization since when nothing has changed that responses about compounds and units
 * show, whichever program writes. Moments are numbers that grow with every change.
 */
@Injectable()
export class CatalogueChanges implements OnModuleDestroy {
  /** How old a kept response may be (rule DATA-6); tests that count on one give a busy machine more. */
  maxAgeMs = 1_000;
  private readonly logger = new Logger(CatalogueChanges.name);
  private readonly watcher: ChangeWatcher;
  private readonly lastChanges = new Map<string, number>();
  private latest = 0;
  private lastChangeOfAll = 0;

  constructor(
    @InjectConnection() private readonly connection: Connection,
    changes: CatalogueChangesRepository,
  ) {
    this.watcher = new ChangeWatcher(
      connection.getClient(),
      'catalogue changes',
      (options) => changes.watch(options),
      intervalMs,
    );
  }

  /** Begins to watch, unless the database may report changes late. */
  async start(): Promise<void> {
    if (await isSharded(this.connection)) {
      this.logger.log('Responses are not kept: the database is sharded');
      return;
    }
    this.watcher.start({
      onChange: (change) => this.note(change as CatalogueChange),
      onGap: () => this.noteAll(),
    });
  }

  async onModuleDestroy(): Promise<void> {
    await this.watcher.stop();
  }

  /**
   * How long ago every change was known that had been committed by then, in milliseconds; undefined
   * where changes are not watched.
   */
  get silentMs(): number | undefined {
    return this.watcher.silentMs;
  }

  /** The present moment; null while changes may go unnoticed for longer than a second. */
  now(): number | null {
    return this.watcher.age <= this.maxAgeMs ? this.latest : null;
  }

  /** Whether nothing that an organization's responses show is known to have changed since a moment. */
  isUnchangedSince(organizationId: string, moment: number): boolean {
    const lastChange = this.lastChanges.get(organizationId) ?? 0;
    return lastChange <= moment && this.lastChangeOfAll <= moment;
  }

  /** Something that an organization's responses show has changed. */
  noteChange(organizationId: string): void {
    if (this.lastChanges.size >= maxOrganizations && !this.lastChanges.has(organizationId)) {
      this.noteAll();
    }
    this.latest += 1;
    this.lastChanges.set(organizationId, this.latest);
  }

  private noteAll(): void {
    this.latest += 1;
    this.lastChangeOfAll = this.latest;
    this.lastChanges.clear();
  }

  private note(change: CatalogueChange): void {
    const organizationId = organizationOf(change);
    if (organizationId === undefined) this.noteAll();
    else this.noteChange(organizationId);
  }
}

/** Whose responses a change concerns; undefined where it may be anybody's. */
function organizationOf(change: CatalogueChange): string | undefined {
  const { operationType, ns, documentKey, organizationId, movedTo } = change;
  // A document that was deleted, or replaced, may have belonged to another organization.
  if (operationType !== 'insert' && operationType !== 'update') return undefined;
  if (movedTo !== undefined) return undefined;
  const id = ns?.coll === 'organizations' ? documentKey?._id : organizationId;
  return id instanceof Types.ObjectId ? id.toHexString() : undefined;
}
