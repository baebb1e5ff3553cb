import type { INestApplicationContext } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';

/**
 * Makes sure that the database can run transactions.
 *
 * @throws Error with one clear line when it is neither a replica set nor a sharded cluster
 */
export async function assertTransactionsSupported(app: INestApplicationContext): Promise<void> {
  const connection = app.get<Connection>(getConnectionToken());
  const hello = await connection.db?.admin().command({ hello: 1 });
  if (hello?.['setName'] !== undefined || hello?.['msg'] === 'isdbgrid') return;
  throw new Error(
    'The database at MONGODB_URI is neither a replica set nor a sharded cluster, and transactions ' +
      'need one of them: start mongod with --replSet and run rs.initiate().',
  );
}
