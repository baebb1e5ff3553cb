import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { EventsModule } from '../events.module.js';
import { EventFanOut } from './event-fan-out.js';
import { EventRelay } from './event-relay.js';

@Module({})
export class EventRelayModule {
  /** @param module exports the fan-out */
  static forRoot(module: Type, fanOut: Type<EventFanOut>): DynamicModule {
    return {
      module: EventRelayModule,
      imports: [EventsModule, module],
      providers: [{ provide: EventFanOut, useExisting: fanOut }, EventRelay],
      exports: [EventRelay],
    };
  }
}
