import { type DynamicModule, Module } from '@nestjs/common';
import { MongooseModule, type MongooseModuleFactoryOptions } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { ENVIRONMENT, type Environment } from '../configuration/environment.js';
import { activeTracing } from '../observability/tracing.js';
import { DatabaseConnection } from './connection/database-connection.js';
import { Leases, leaseSchema } from './leases/leases.js';
import { tenantGuard } from './models/tenant-guard.js';
import { DatabaseStructure } from './structure/database-structure.js';
import { Migrations, migrationSchema } from './structure/migrations.js';
import { Snapshots } from './transactions/sessions.js';
import { Transactions, transactionLockSchema } from './transactions/transactions.js';

const services = [
  Transactions,
  Snapshots,
  Leases,
  Migrations,
  DatabaseConnection,
  DatabaseStructure,
];

@Module({})
export class DatabaseModule {
  static forRoot(uri: string, isCommand: boolean): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      imports: [
        MongooseModule.forRootAsync({
          inject: [ENVIRONMENT],
          useFactory: (environment: Environment) => ({
            uri,
            ...connectionOptions(environment, isCommand),
            connectionFactory: (connection: Connection) => connection.plugin(tenantGuard),
          }),
        }),
        MongooseModule.forFeature([
          { name: 'TransactionLock', schema: transactionLockSchema },
          { name: 'Migration', schema: migrationSchema },
          { name: 'Lease', schema: leaseSchema },
        ]),
      ],
      providers: services,
      exports: services,
    };
  }
}

/** A command has no socket timeout: after a timeout the server would keep working, and a retry would run the work twice (rule OPS-9). */
function connectionOptions(
  environment: Environment,
  isCommand: boolean,
): MongooseModuleFactoryOptions {
  const deadlineMs = environment.DATABASE_DEADLINE_MS;
  return {
    appName: 'integration-api',
    // Secondaries lag behind: events of new subscriptions would be lost (rules DATA-6 and HOOK-4).
    readPreference: 'primary',
    retryAttempts: 1,
    retryDelay: 0,
    bufferCommands: false,
    // An index build waits for open transactions: only `db init` builds.
    autoIndex: false,
    autoCreate: false,
    serverSelectionTimeoutMS: deadlineMs,
    connectTimeoutMS: Math.min(deadlineMs, 5_000),
    // A stopped primary never responds; the driver's heartbeat notices it for commands within half a minute.
    socketTimeoutMS: isCommand ? 0 : deadlineMs,
    waitQueueTimeoutMS: deadlineMs,
    maxPoolSize: 50,
    // One string that another program has cut within a character must not break reads of the document.
    enableUtf8Validation: false,
    // JavaScript's own expressions lose options of MongoDB's, so stored ones could not be returned.
    bsonRegExp: true,
    // The option is omitted instead of false, because the connection string may request it.
    ...(activeTracing() ? { monitorCommands: true } : {}),
  };
}
