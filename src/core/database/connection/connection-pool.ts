import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { Counter } from 'prom-client';
import { Metrics } from '../../observability/metrics.js';

/** How many connections to the database there are now, over all its servers. */
export interface PoolUse {
  readonly open: number;
  readonly inUse: number;
}

/** Listens to what the driver says of its pool of connections. */
@Injectable()
export class ConnectionPool {
  private readonly open = new Set<string>();
  private readonly inUse = new Set<string>();
  private waiting = 0;
  private readonly waited;

  constructor(
    @InjectConnection() private readonly connection: Connection,
    metrics: Metrics,
  ) {
    metrics.collect(
      'database_connections',
      'Open connections to the database, by whether an operation uses them.',
      () => {
        const { open, inUse } = this.use();
        return [
          { labels: { state: 'in use' }, value: inUse },
          { labels: { state: 'idle' }, value: open - inUse },
        ];
      },
      ['state'],
    );
    metrics.collect(
      'database_connection_waiting',
      'Operations that wait for a connection to the database.',
      () => this.waiting,
    );
    this.waited = new Counter(
      metrics.options(
        'database_connection_wait_seconds_total',
        'How long operations have waited for a connection to the database.',
      ),
    );
  }

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

  use(): PoolUse {
    return { open: this.open.size, inUse: this.inUse.size };
  }

  private endWait(milliseconds: number): void {
    // An operation may have begun to wait before anybody listened.
    this.waiting = Math.max(0, this.waiting - 1);
    this.waited.inc(milliseconds / 1_000);
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
