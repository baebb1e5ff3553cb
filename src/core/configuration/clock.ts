import { Injectable } from '@nestjs/common';

/** Tests replace it. */
@Injectable()
export class Clock {
  now(): Date {
    return new Date();
  }
}
