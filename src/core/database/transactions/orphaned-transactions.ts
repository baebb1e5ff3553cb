import { Injectable, Logger } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { appName } from '../connection/connection-options.js';

/** Longer than a running process pauses between two operations of a transaction. */
const inactiveMicroseconds = 1_000_000;

/** The server keeps transactions of a dead process open for a minute, with conflicts for all others. */
@Injectable()
export class OrphanedTransactions {
  private readonly logger = new Logger(OrphanedTransactions.name);
  private running: Promise<void> | undefined;

  constructor(@InjectConnection() private readonly connection: Connection) {}

  async abort(): Promise<void> {
    this.running ??= this.abortInactive().finally(() => (this.running = undefined));
    return this.running;
  }

  private async abortInactive(): Promise<void> {
    try {
      const admin = this.connection.getClient().db('admin');
      const inactive = await admin
        .aggregate([
          { $currentOp: { idleSessions: true } },
          { $match: { type: 'idleSession', appName } },
          { $match: { 'transaction.timeInactiveMicros': { $gt: inactiveMicroseconds } } },
        ])
        .toArray();
      if (inactive.length === 0) return;
      const killSessions = inactive.map(({ lsid }) => ({ id: (lsid as { id: unknown }).id }));
      await admin.command({ killSessions });
      this.logger.warn({ count: inactive.length }, 'Aborted orphaned transactions');
    } catch (error) {
      const message =
        'Could not abort orphaned transactions; the server ends them within a minute. The database user ' +
        'needs the privileges inprog and killAnySession.';
      this.logger.warn({ err: error }, message);
    }
  }
}
