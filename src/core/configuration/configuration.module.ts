import { type DynamicModule, Module } from '@nestjs/common';
import { Clock } from './clock.js';
import { ENVIRONMENT, type Environment } from './environment.js';

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
