import { type DynamicModule, Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { ENVIRONMENT, type Environment } from '../configuration/environment.js';
import { FreshCache } from '../cache/fresh-cache.js';
import { ConnectionPool } from './connection/connection-pool.js';
import { connectionOptions } from './connection/connection-options.js';
import { CountersRepository, counterSchema } from './counters/counters.repository.js';
import { Leases, leaseSchema } from './leases/leases.js';
import { DatabasePing } from './connection/database-ping.js';
import { DatabaseStructure } from './structure/database-structure.js';
import { Migrations, migrationSchema } from './structure/migrations.js';
import { OrphanedTransactions } from './transactions/orphaned-transactions.js';
import {
  TransactionLocksRepository,
  transactionLockSchema,
} from './transactions/transaction-locks.repository.js';
import { Snapshots } from './transactions/snapshots.js';
import { Transactions } from './transactions/transactions.js';

const services = [
  FreshCache,
  OrphanedTransactions,
  Transactions,
  Snapshots,
  TransactionLocksRepository,
  CountersRepository,
  Leases,
  Migrations,
  DatabasePing,
  ConnectionPool,
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
          }),
        }),
        MongooseModule.forFeature([
          { name: 'TransactionLock', schema: transactionLockSchema },
          { name: 'Migration', schema: migrationSchema },
          { name: 'Counter', schema: counterSchema },
          { name: 'Lease', schema: leaseSchema },
        ]),
      ],
      providers: services,
      exports: services,
    };
  }
}
