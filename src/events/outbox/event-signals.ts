import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Subject } from 'rxjs';

/** Loops and requests need not poll for events of their own process. */
@Injectable()
export class EventSignals {
  /** Emits after each transaction that has stored events. */
  readonly stored = new Subject<void>();
  /** Emits the organization whose events have got their numbers. */
  readonly numbered = new Subject<Types.ObjectId>();
}
