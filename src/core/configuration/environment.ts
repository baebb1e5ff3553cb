import { type DynamicModule, Module } from '@nestjs/common';
import type { z } from 'zod';
import { Clock } from './clock.js';
import type { environmentSchema } from './environment-variables.js';

/** The settings are validated before anything else starts (rule CONF-1). */
export type Environment = Readonly<z.output<typeof environmentSchema>>;

export const ENVIRONMENT = Symbol('Environment');

@Module({})
export class ConfigurationModule {
  static forRoot(environment: Environment): DynamicModule {
    return {
      module: ConfigurationModule,
      global: true,
      providers: [{ provide: ENVIRONMENT, useValue: environment }, Clock],
      exports: [ENVIRONMENT, Clock],
    };
  }
}
