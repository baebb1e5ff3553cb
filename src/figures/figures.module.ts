import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { CallCounter } from './call-counter.js';
import { callFigureSchema } from './call-figure.schema.js';
import { CallFiguresRecorder } from './call-figures-recorder.js';
import { CallFiguresRepository } from './call-figures.repository.js';
import { CallFiguresService } from './call-figures.service.js';
import { FigureRollUps } from './figure-roll-ups.js';

/** Calls, errors and latency over time, without a system that collects metrics. */
@Module({
  imports: [
    MongooseModule.forFeature([{ name: 'CallFigure', schema: callFigureSchema }]),
    WebhooksModule,
  ],
  providers: [
    CallCounter,
    CallFiguresRepository,
    CallFiguresService,
    CallFiguresRecorder,
    FigureRollUps,
  ],
  exports: [CallFiguresService, CallFiguresRecorder, CallCounter],
})
export class FiguresModule {}
