import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { LoggerModule } from 'nestjs-pino';
import type { Logger } from 'pino';
import { TenantsModule } from './tenants/tenants.module.js';
import { UnitEventVisibility } from './units/reading/unit-event-visibility.js';
import { CatalogueImportModule } from './operator/catalogue-import/catalogue-import.module.js';
import { CacheModule } from './core/cache/cache.module.js';
import { ConfigurationModule } from './core/configuration/environment.js';
import type { Environment } from './core/configuration/environment.js';
import { CompoundsModule } from './compounds/compounds.module.js';
import { DatabaseModule } from './core/database/database.module.js';
import { ErasuresModule } from './operator/erasure/erasures.module.js';
import { EventsModule } from './events/events.module.js';
import { EventFeedModule } from './events/feed/event-feed.module.js';
import { EventRelayModule } from './events/outbox/event-relay.module.js';
import { HealthModule } from './health/health.module.js';
import { HttpModule } from './core/http/http.module.js';
import { LeadsModule } from './leads/leads.module.js';
import { LocalizationModule } from './core/localization/localization.module.js';
import { messageFiles } from './reference/message-files.js';
import { MetricsModule } from './core/observability/metrics.js';
import { OpsListenerModule } from './operator/ops-listener/ops-listener.module.js';
import { RateLimitGuard } from './core/http/rate-limit/rate-limit.guard.js';
import { UnknownParametersGuard } from './core/http/requests/unknown-parameters.guard.js';
import { ReservationsModule } from './reservations/reservations.module.js';
import { ApiKeyGuard } from './tenants/keys/api-key.guard.js';
import { CallbackSignatureGuard } from './tenants/keys/callback-signature.guard.js';
import { KeyRestrictionsGuard } from './tenants/keys/key-restrictions.guard.js';
import { SandboxModule } from './operator/sandbox/sandbox.module.js';
import { UnitsModule } from './units/units.module.js';
import { WebhookFanOut } from './webhooks/deliveries/webhook-fan-out.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

export interface AppOptions {
  readonly environment: Environment;
  readonly databaseUri: string;
  readonly isCommand?: boolean;
  readonly logger: Logger;
}

/** Every route runs them in this order (rule HTTP-2). */
const guards = [
  ApiKeyGuard,
  RateLimitGuard,
  KeyRestrictionsGuard,
  CallbackSignatureGuard,
  UnknownParametersGuard,
];

@Module({})
export class AppModule {
  static forRoot({
    environment,
    databaseUri,
    logger,
    isCommand = false,
  }: AppOptions): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigurationModule.forRoot(environment),
        // Without routes the library adds no middleware. Its serializers would log the documents that errors carry.
        LoggerModule.forRoot({ pinoHttp: { logger, wrapSerializers: false }, forRoutes: [] }),
        MetricsModule,
        DatabaseModule.forRoot(databaseUri, isCommand),
        CacheModule,
        LocalizationModule.forRoot(messageFiles),
        HttpModule,
        TenantsModule,
        LeadsModule,
        CompoundsModule,
        UnitsModule,
        CatalogueImportModule,
        ReservationsModule,
        WebhooksModule,
        ErasuresModule,
        SandboxModule,
        EventsModule,
        EventFeedModule.forRoot(UnitsModule, UnitEventVisibility),
        EventRelayModule.forRoot(WebhooksModule, WebhookFanOut),
        HealthModule,
        OpsListenerModule,
      ],
      providers: guards.map((guard) => ({ provide: APP_GUARD, useExisting: guard })),
    };
  }
}
