import { Injectable } from '@nestjs/common';
import { Subject } from 'rxjs';

/** Emits after each transaction of this process that has created deliveries. */
@Injectable()
export class DeliveriesCreated extends Subject<void> {}
