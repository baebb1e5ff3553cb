import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { withinDeadline } from './database-errors.js';
import { Metrics } from '../../observability/metrics.js';

export interface PoolUsage {
  readonly open: number;
  readonly inUse: number;
}

@Injectable()
export class DatabaseConnection {
  /** The value is true while an operation uses the connection. */
  private readonly connections = new Map<string, boolean>();
  private waiting = 0;

  constructor(
    @InjectConnection() private readonly connection: Connection,
    private readonly metrics: Metrics,
  ) {}

  /** Must be called once. A connection that was opened earlier counts from its next use. */
  observe(): void {
    const waited = this.addMetrics();
    const endWait = (milliseconds: number) => {
      this.waiting = Math.max(0, this.waiting - 1);
      waited.inc(milliseconds / 1_000);
    };
    const client = this.connection.getClient();
    client.on('connectionReady', (event) => this.connections.set(idOf(event), false));
    client.on('connectionClosed', (event) => this.connections.delete(idOf(event)));
    client.on('connectionCheckOutStarted', () => this.waiting++);
    client.on('connectionCheckOutFailed', ({ durationMS }) => endWait(durationMS));
    client.on('connectionCheckedOut', (event) => {
      endWait(event.durationMS);
      this.connections.set(idOf(event), true);
    });
    client.on('connectionCheckedIn', (event) => {
      if (this.connections.has(idOf(event))) this.connections.set(idOf(event), false);
    });
  }

  poolUsage(): PoolUsage {
    const inUse = [...this.connections.values()].filter((isUsed) => isUsed).length;
    return { open: this.connections.size, inUse };
  }

  async hasPrimary(milliseconds: number): Promise<boolean> {
    const { isWritablePrimary } = (await this.tryCommand({ hello: 1 }, milliseconds)) ?? {};
    return isWritablePrimary === true;
  }

  async respondsWithin(milliseconds: number): Promise<boolean> {
    return (await this.tryCommand({ ping: 1 }, milliseconds)) !== null;
  }

  /** Returns null if the server does not respond in time. */
  private async tryCommand(command: object, milliseconds: number) {
    try {
      const { db } = this.connection;
      return db === undefined ? null : await withinDeadline(db.command(command), milliseconds);
    } catch {
      return null;
    }
  }

  private addMetrics() {
    this.metrics.collect(
      'database_connections',
      'Open database connections, in use or idle.',
      () => {
        const { open, inUse } = this.poolUsage();
        return [
          { labels: { state: 'in use' }, value: inUse },
          { labels: { state: 'idle' }, value: open - inUse },
        ];
      },
      ['state'],
    );
    this.metrics.collect(
      'database_connection_waiting',
      'Operations that wait for a database connection.',
      () => this.waiting,
    );
    return this.metrics.counter(
      'database_connection_wait_seconds_total',
      'Total time that operations have waited for a database connection.',
    );
  }
}

function idOf(event: { readonly address: string; readonly connectionId: number | '<monitor>' }) {
  return `${event.address} ${event.connectionId}`;
}
