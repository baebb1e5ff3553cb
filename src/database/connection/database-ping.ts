import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { withinDeadline } from './deadline.js';

/** Asks the database for a sign of life. */
@Injectable()
export class DatabasePing {
  constructor(@InjectConnection() private readonly connection: Connection) {}

  /** Whether the database answers a ping within a number of milliseconds. */
  async answersWithin(milliseconds: number): Promise<boolean> {
    try {
      const ping = this.connection.db?.command({ ping: 1 }) ?? Promise.reject(new Error('closed'));
      await withinDeadline(ping, milliseconds);
      return true;
    } catch {
      return false;
    }
  }
}
