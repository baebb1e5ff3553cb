import { Injectable } from '@nestjs/common';
import { Logger as NestLogger } from 'nestjs-pino';
import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';
import type { Environment } from '../../configuration/environment.js';
import { standardOutput } from './standard-output.js';

const redacted = '[hidden]';

/**
 * The structured log. A request is logged by its route's pattern: paths, queries, headers and bodies
 * hold keys and personal data. What other code logs of a request is redacted all the same.
 *
 * @param destination where the lines go; standard output when left out
 */
export function createLogger(
  { LOG_LEVEL, NODE_ENV }: Environment,
  destination?: DestinationStream,
): Logger {
  const isPrettyPrinted = NODE_ENV === 'development' && process.stdout.isTTY && !destination;
  const logger = pino(
    {
      level: LOG_LEVEL,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      redact: {
        paths: ['*.headers["api-key"]', '*.headers.authorization', '*.headers.cookie', '*.body'],
        censor: redacted,
      },
      serializers: { err: serializeError },
      ...(isPrettyPrinted
        ? { transport: { target: 'pino-pretty', options: { singleLine: true } } }
        : {}),
    },
    ...(isPrettyPrinted ? [] : [destination ?? standardOutput]),
  );
  if (destination === undefined) {
    standardOutput.onceCaughtUp((dropped) => {
      logger.warn({ dropped }, 'Log lines were dropped: nobody read them in time');
    });
  }
  return logger;
}

/** An error's name, message and stack; database errors also carry documents, and quote them. */
function serializeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: redacted };
  const { name, stack, cause } = error;
  const code = (error as { code?: unknown }).code;
  const quotesData = /dup key|Document failed validation/.test(error.message);
  const message = quotesData ? error.message.replace(/dup key: .*/s, redacted) : error.message;
  const frames = stack
    ?.split('\n')
    .filter((line) => line.startsWith('    at '))
    .join('\n');
  return {
    name,
    message,
    ...(code === undefined ? {} : { code }),
    stack: frames,
    ...(cause === undefined ? {} : { cause: serializeError(cause) }),
  };
}

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
export class FrameworkLogger extends NestLogger {
  override log(message: unknown, ...rest: unknown[]): void {
    if (verboseContexts.has(rest.at(-1))) this.debug(message, ...rest);
    else super.log(message, ...rest);
  }
}
