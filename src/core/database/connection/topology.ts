import type { INestApplicationContext } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import { type Document, MongoClient } from 'mongodb';
import type { Connection } from 'mongoose';
import { StartupError } from '../../configuration/startup-errors.js';

const probeTimeoutMs = 1_000;
const remedy = 'start mongod with --replSet and run rs.initiate()';

/** @throws StartupError when the database can run no transactions */
export async function assertTransactionsSupported(app: INestApplicationContext): Promise<void> {
  const { db } = app.get<Connection>(getConnectionToken());
  const fault = faultOf((await db?.admin().command({ hello: 1 })) ?? {});
  if (fault !== undefined) {
    throw new StartupError(`The database at MONGODB_URI cannot be used: ${fault}`);
  }
}

/** Why the driver finds no server in a database that responds: its own error says only that it timed out. */
export async function topologyFault(uri: string): Promise<string | undefined> {
  const client = new MongoClient(uri, {
    serverSelectionTimeoutMS: probeTimeoutMs,
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
  readonly isreplicaset?: boolean;
  readonly msg?: string;
}
