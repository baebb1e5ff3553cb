import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { withinDeadline } from './deadline.js';

@Injectable()
export class DatabasePing {
  constructor(@InjectConnection() private readonly connection: Connection) {}

  /** Whether a server that takes writes responds within a number of milliseconds. */
  async hasPrimary(milliseconds: number): Promise<boolean> {
    try {
      const hello =
        this.connection.db?.command({ hello: 1 }) ?? Promise.reject(new Error('closed'));
      const { isWritablePrimary } = await withinDeadline(hello, milliseconds);
      return isWritablePrimary === true;
    } catch {
      return false;
    }
  }

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
