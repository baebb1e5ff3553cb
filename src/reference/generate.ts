import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { apiReference } from './api-reference.js';
import { AppModule } from '../app.module.js';
import { readEnvironment } from '../core/configuration/load-environment.js';
import { configurationReference, environmentExample } from './configuration-reference.js';
import { ErrorResponses } from '../core/errors/error-responses.js';
import { createLogger } from '../core/http/server/logger.js';
import { LocalizationModule } from '../core/localization/localization.module.js';
import { messageFiles } from './message-files.js';
import { MessagesService } from '../core/localization/messages.service.js';
import { basePath } from '../core/http/requests/route-options.js';

const texts = await NestFactory.createApplicationContext(LocalizationModule.forRoot(messageFiles), {
  logger: false,
});
const responses = new ErrorResponses(texts.get(MessagesService));

const root = join(import.meta.dirname, '../..');

write('.env.example', environmentExample());
write('docs/configuration.md', configurationReference());
write('docs/openapi.json', await openApiText());

async function openApiText(): Promise<string> {
  const environment = readEnvironment({ NODE_ENV: 'test', LOG_LEVEL: 'silent' });
  const logger = createLogger(environment);
  // A preview creates no instances, so nothing connects.
  const app = await NestFactory.create(
    AppModule.forRoot({ environment, databaseUri: '', logger }),
    new FastifyAdapter(),
    { preview: true, logger: false, abortOnError: false },
  );
  app.setGlobalPrefix(basePath);
  return `${JSON.stringify(apiReference(app, responses), null, 2)}\n`;
}

function write(path: string, text: string): void {
  writeFileSync(join(root, path), text);
  process.stdout.write(`${path}\n`);
}
