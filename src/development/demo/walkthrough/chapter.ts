import type { INestApplicationContext } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { DemoClient, Print, Step } from '../client/demo-client.js';

/** One walk through the API, in an organization that nobody else uses. */
export interface DemoRun {
  readonly app: INestApplicationContext;
  readonly organizationId: Types.ObjectId;
  readonly client: DemoClient;
  readonly print: Print;
}

/** A part of the demo with a heading. */
export interface Chapter {
  readonly title: string;
  /** Requests, and work of the operator, which throws an Error with one line when it fails. */
  readonly steps: readonly (Step | ((run: DemoRun) => void | Promise<void>))[];
}
