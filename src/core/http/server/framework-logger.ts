import { Injectable } from '@nestjs/common';
import { Logger } from 'nestjs-pino';

/** Parts of the framework that log at every start what the code says anyway. */
const verboseContexts: ReadonlySet<unknown> = new Set([
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'RouterExplorer',
  'RoutesResolver',
]);

/** The application's log, with the framework's own messages at debug level. */
@Injectable()
export class FrameworkLogger extends Logger {
  override log(message: unknown, ...rest: unknown[]): void {
    if (verboseContexts.has(rest.at(-1))) this.debug(message, ...rest);
    else super.log(message, ...rest);
  }
}
