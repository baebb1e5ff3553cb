import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';
import type { Environment } from '../../configuration/environment.js';
import { standardOutput } from './standard-output.js';

const redacted = '[hidden]';

/** Logs the route pattern of requests: paths, queries, headers and bodies contain personal data. */
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
    standardOutput.onDrained((dropped) => {
      logger.warn({ dropped }, 'Log lines were dropped: standard output was not read in time');
    });
  }
  return logger;
}

/** Selects known properties: database errors contain documents. */
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
