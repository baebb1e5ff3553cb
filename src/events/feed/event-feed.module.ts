import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { EventsModule } from '../events.module.js';
import { EventFeedService } from './event-feed.service.js';
import { EventVisibility } from './event-visibility.js';
import { EventsController } from './events.controller.js';

@Module({})
export class EventFeedModule {
  /** @param module exports the visibility */
  static forRoot(module: Type, visibility: Type<EventVisibility>): DynamicModule {
    return {
      module: EventFeedModule,
      imports: [EventsModule, module],
      controllers: [EventsController],
      providers: [{ provide: EventVisibility, useExisting: visibility }, EventFeedService],
    };
  }
}
