import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { AuthenticationModule } from '../../tenants/keys/authentication.module.js';
import { OrganizationsModule } from '../../tenants/organizations/organizations.module.js';
import { WebhooksModule } from '../../webhooks/webhooks.module.js';
import { CallCounter } from './call-counter.js';
import { callFigureSchema } from './call-figure.schema.js';
import { CallFiguresRecorder } from './call-figures-recorder.js';
import { CallFiguresRepository } from './call-figures.repository.js';
import { CallFiguresService } from './call-figures.service.js';
import { FigureRollUps } from './figure-roll-ups.js';
import { PartnersService } from './partners.service.js';

/** Calls, errors and latency over time, without a system that collects metrics. */
@Module({
  imports: [
    MongooseModule.forFeature([{ name: 'CallFigure', schema: callFigureSchema }]),
    AuthenticationModule,
    OrganizationsModule,
    WebhooksModule,
  ],
  providers: [
    CallCounter,
    CallFiguresRepository,
    CallFiguresService,
    CallFiguresRecorder,
    FigureRollUps,
    PartnersService,
  ],
  exports: [CallFiguresService, CallFiguresRecorder, CallCounter, PartnersService],
})
export class FiguresModule {}
