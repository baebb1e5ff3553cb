import { Injectable } from '@nestjs/common';
import { Logger } from 'nestjs-pino';

/** Parts of the framework that tell at every start what the code says anyway. */
const chatty: ReadonlySet<unknown> = new Set([
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'RouterExplorer',
  'RoutesResolver',
]);

/** The application's log, with the framework's own notes at debug level. */
@Injectable()
export class FrameworkLogger extends Logger {
  override log(message: unknown, ...rest: unknown[]): void {
    if (chatty.has(rest.at(-1))) this.debug(message, ...rest);
    else super.log(message, ...rest);
  }
}
