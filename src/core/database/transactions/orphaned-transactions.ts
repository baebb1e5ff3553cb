import { Injectable, Logger } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { appName } from '../connection/connection-options.js';

/** A running process does not pause for this long between two operations of a transaction. */
const inactiveMicroseconds = 1_000_000;

/**
 * Ends transactions whose process has died. The server keeps them open for up to a minute, and every
 * other transaction on the same documents conflicts with them as long.
 */
@Injectable()
export class OrphanedTransactions {
  private readonly logger = new Logger(OrphanedTransactions.name);
  private running: Promise<void> | undefined;

  constructor(@InjectConnection() private readonly connection: Connection) {}

  /**
   * Aborts the service's transactions in which nothing has happened for a second. One that was
   * only stalled is retried by its process, as after any conflict.
   */
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
      this.logger.warn(`Aborted ${inactive.length} orphaned transactions`);
    } catch (error) {
      // Without the right to do so the service waits until the server aborts them.
      this.logger.warn({ err: error }, 'Orphaned transactions could not be aborted');
    }
  }
}
