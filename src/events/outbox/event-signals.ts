import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Subject } from 'rxjs';

/** What this process has just done with events, for those who would otherwise find it out by polling. */
@Injectable()
export class EventSignals {
  /** Emits after each transaction that has stored events. */
  readonly stored = new Subject<void>();
  /** Emits the organization whose events have got their numbers. */
  readonly numbered = new Subject<Types.ObjectId>();
}
