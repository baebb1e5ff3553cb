import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { Counter } from 'prom-client';
import { withinDeadline } from './database-errors.js';
import { Metrics } from '../../observability/metrics.js';

export interface PoolUse {
  readonly open: number;
  readonly inUse: number;
}

@Injectable()
export class DatabaseConnection {
  private readonly open = new Set<string>();
  private readonly inUse = new Set<string>();
  private waiting = 0;

  constructor(
    @InjectConnection() private readonly connection: Connection,
    private readonly metrics: Metrics,
  ) {}

  /** Call once. A connection that was opened before counts from its next use. */
  observe(): void {
    const waited = this.addMetrics();
    const endWait = (milliseconds: number) => {
      this.waiting = Math.max(0, this.waiting - 1);
      waited.inc(milliseconds / 1_000);
    };
    const client = this.connection.getClient();
    client.on('connectionReady', (event) => this.open.add(idOf(event)));
    client.on('connectionClosed', (event) => {
      this.open.delete(idOf(event));
      this.inUse.delete(idOf(event));
    });
    client.on('connectionCheckOutStarted', () => this.waiting++);
    client.on('connectionCheckOutFailed', ({ durationMS }) => endWait(durationMS));
    client.on('connectionCheckedOut', (event) => {
      endWait(event.durationMS);
      this.open.add(idOf(event));
      this.inUse.add(idOf(event));
    });
    client.on('connectionCheckedIn', (event) => this.inUse.delete(idOf(event)));
  }

  use(): PoolUse {
    return { open: this.open.size, inUse: this.inUse.size };
  }

  async hasPrimary(milliseconds: number): Promise<boolean> {
    const { isWritablePrimary } = (await this.respond({ hello: 1 }, milliseconds)) ?? {};
    return isWritablePrimary === true;
  }

  async respondsWithin(milliseconds: number): Promise<boolean> {
    return (await this.respond({ ping: 1 }, milliseconds)) !== null;
  }

  /** Null without a response in time. */
  private async respond(command: object, milliseconds: number) {
    try {
      const { db } = this.connection;
      return db === undefined ? null : await withinDeadline(db.command(command), milliseconds);
    } catch {
      return null;
    }
  }

  private addMetrics(): Counter {
    this.metrics.collect(
      'database_connections',
      'Open connections to the database, by whether an operation uses them.',
      () => [
        { labels: { state: 'in use' }, value: this.inUse.size },
        { labels: { state: 'idle' }, value: this.open.size - this.inUse.size },
      ],
      ['state'],
    );
    this.metrics.collect(
      'database_connection_waiting',
      'Operations that wait for a connection to the database.',
      () => this.waiting,
    );
    return new Counter(
      this.metrics.options(
        'database_connection_wait_seconds_total',
        'How long operations have waited for a connection to the database.',
      ),
    );
  }
}

function idOf(event: { readonly address: string; readonly connectionId: number | '<monitor>' }) {
  return `${event.address} ${event.connectionId}`;
}
