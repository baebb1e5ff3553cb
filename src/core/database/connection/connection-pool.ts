import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';

/** How the connections to the database are used now, over all its servers. */
export interface PoolUse {
  readonly open: number;
  readonly inUse: number;
  /** Operations that wait for a connection. */
  readonly waiting: number;
  /** How long operations have waited for one since the start, in milliseconds. */
  readonly waitedMs: number;
}

/** Listens to what the driver says of its pool of connections. */
@Injectable()
export class ConnectionPool {
  private readonly open = new Set<string>();
  private readonly inUse = new Set<string>();
  private waiting = 0;
  private waitedMs = 0;

  constructor(@InjectConnection() private readonly connection: Connection) {}

  /**
   * Listens from now on; once. A connection that was opened before is known as soon as it is used.
   */
  observe(): void {
    const client = this.connection.getClient();
    client.on('connectionReady', (event) => this.open.add(idOf(event)));
    client.on('connectionClosed', (event) => {
      this.open.delete(idOf(event));
      this.inUse.delete(idOf(event));
    });
    client.on('connectionCheckOutStarted', () => this.waiting++);
    client.on('connectionCheckOutFailed', ({ durationMS }) => this.endWait(durationMS));
    client.on('connectionCheckedOut', (event) => {
      this.endWait(event.durationMS);
      this.open.add(idOf(event));
      this.inUse.add(idOf(event));
    });
    client.on('connectionCheckedIn', (event) => this.inUse.delete(idOf(event)));
  }

  stats(): PoolUse {
    const { open, inUse, waiting, waitedMs } = this;
    return { open: open.size, inUse: inUse.size, waiting, waitedMs };
  }

  private endWait(milliseconds: number): void {
    // An operation may have begun to wait before anybody listened.
    this.waiting = Math.max(0, this.waiting - 1);
    this.waitedMs += milliseconds;
  }
}

function idOf({
  address,
  connectionId,
}: {
  readonly address: string;
  readonly connectionId: number | '<monitor>';
}): string {
  return `${address} ${connectionId}`;
}
