import { Injectable, Logger } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { appName } from '../connection/connection-options.js';

/** Longer than a running process pauses between two operations of a transaction. */
const inactiveMicroseconds = 1_000_000;

/**
 * Ends transactions whose process has died. The server keeps them open for up to a minute, in which every
 * other transaction on the same documents conflicts with them.
 */
@Injectable()
export class OrphanedTransactions {
  private readonly logger = new Logger(OrphanedTransactions.name);
  private running: Promise<void> | undefined;

  constructor(@InjectConnection() private readonly connection: Connection) {}

  /** Aborts the service's transactions that were idle for a second; a process that only stalled retries its own. */
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
