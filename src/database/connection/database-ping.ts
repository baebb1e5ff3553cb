import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { withinDeadline } from './deadline.js';

@Injectable()
export class DatabasePing {
  constructor(@InjectConnection() private readonly connection: Connection) {}

  /** Whether the database responds to a ping within a number of milliseconds. */
  async respondsWithin(milliseconds: number): Promise<boolean> {
    try {
      const ping = this.connection.db?.command({ ping: 1 }) ?? Promise.reject(new Error('closed'));
      await withinDeadline(ping, milliseconds);
      return true;
    } catch {
      return false;
    }
  }
}
