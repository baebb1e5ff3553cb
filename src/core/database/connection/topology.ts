import type { INestApplicationContext } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import { type Document, MongoClient } from 'mongodb';
import type { Connection } from 'mongoose';
import { StartupError } from '../../configuration/startup-errors.js';

const probeTimeoutMs = 1_000;
const remedy = 'start mongod with --replSet and run rs.initiate()';

/**
 * Makes sure that the database can run transactions.
 *
 * @throws StartupError when it is neither a replica set nor a sharded cluster
 */
export async function assertTransactionsSupported(app: INestApplicationContext): Promise<void> {
  const fault = faultOf(await describeServer(app.get<Connection>(getConnectionToken())));
  if (fault !== undefined) {
    throw new StartupError(`The database at MONGODB_URI cannot be used: ${fault}`);
  }
}

async function describeServer(connection: Connection): Promise<HelloReply> {
  return (await connection.db?.admin().command({ hello: 1 })) ?? {};
}

/**
 * Why a database that responds is not found by the driver, which says no more than that it has
 * waited; undefined when no server of it gives a reason.
 */
export async function topologyFault(uri: string): Promise<string | undefined> {
  const client = new MongoClient(uri, {
    serverSelectionTimeoutMS: probeTimeoutMs,
    // Closing waits for a connection that is being made.
    connectTimeoutMS: probeTimeoutMs,
  });
  const { replicaSet } = client.options;
  const replies = new Map<string, Document>();
  client.on('serverHeartbeatSucceeded', ({ connectionId, reply }) => {
    replies.set(connectionId, reply);
  });
  try {
    await client.connect();
    return undefined;
  } catch {
    const hellos = [...replies.values()];
    const fault = hellos.map((hello) => faultOf(hello, replicaSet)).find((text) => text);
    return fault ?? (hellos.length > 0 ? 'its replica set has no primary now' : undefined);
  } finally {
    await client.close();
  }
}

/** What is wrong with a server by its response to `hello`, besides not being the primary. */
function faultOf(reply: HelloReply, expectedSet?: string): string | undefined {
  const { setName, isreplicaset: isUninitiated, msg } = reply;
  if (msg === 'isdbgrid') {
    if (!expectedSet) return undefined;
    return 'it is a sharded cluster: leave replicaSet out of MONGODB_URI';
  }
  if (isUninitiated === true) return 'its replica set is not initiated: run rs.initiate()';
  if (setName === undefined) {
    return `it is neither a replica set nor a sharded cluster, and transactions need one of them: ${remedy}`;
  }
  if (!expectedSet || setName === expectedSet) return undefined;
  return `its replica set is called ${setName}, and MONGODB_URI says replicaSet=${expectedSet}`;
}

interface HelloReply {
  readonly setName?: string;
  /** Only a member of a set that is not initiated says so. */
  readonly isreplicaset?: boolean;
  readonly msg?: string;
}
