import type { Db, Document } from 'mongodb';

/** Cursors, sessions and transactions of the service that are open in the database. */
export interface OpenInDatabase {
  readonly cursors: number;
  readonly transactions: number;
  readonly connections: number;
}

/** The samples of the metrics of a process, by name with labels. */
export async function metricsOf(address: string): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`${address}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))] as const;
    }),
  );
}

/** Counts the cursors, transactions and connections that the service has open now. */
export async function openInDatabase(db: Db): Promise<OpenInDatabase> {
  const operations = await db.client
    .db('admin')
    .aggregate([
      {
        $currentOp: {
          allUsers: true,
          idleConnections: true,
          idleCursors: true,
          idleSessions: true,
        },
      },
      { $match: { appName: 'integration-api' } },
    ])
    .toArray();
  const count = (isMeant: (operation: Document) => boolean) => operations.filter(isMeant).length;
  return {
    cursors: count(({ cursor }) => cursor !== undefined),
    transactions: count(({ transaction }) => transaction !== undefined),
    connections: count(({ connectionId }) => connectionId !== undefined),
  };
}

/**
 * How fast values grow in time: the median of the slopes between any two of them (Theil and Sen), so that
 * single peaks count little.
 *
 * @param samples pairs of time and value
 * @returns in units of the value for a unit of the time
 */
export function slopeOf(samples: readonly (readonly [time: number, value: number])[]): number {
  const slopes = samples.flatMap(([time, value], index) =>
    samples.slice(index + 1).map(([later, other]) => (other - value) / (later - time)),
  );
  return slopes.toSorted((a, b) => a - b)[Math.floor(slopes.length / 2)] ?? 0;
}
