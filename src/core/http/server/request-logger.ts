import type { FastifyBaseLogger } from 'fastify';
import type { Logger } from 'pino';

type Entry = readonly [entry: object, message?: string];

/**
 * The log of one request, made when something is logged: most requests log nothing, and a logger of
 * their own would cost them as much as their line.
 */
export class RequestLogger implements FastifyBaseLogger {
  private own: Logger | undefined;

  constructor(
    private readonly logger: Logger,
    private readonly reqId: string,
  ) {}

  get level(): string {
    return this.logger.level;
  }

  child(...parameters: Parameters<FastifyBaseLogger['child']>): FastifyBaseLogger {
    return this.made().child(...parameters);
  }

  fatal(...entry: Entry): void {
    this.made().fatal(...entry);
  }

  error(...entry: Entry): void {
    this.made().error(...entry);
  }

  warn(...entry: Entry): void {
    this.made().warn(...entry);
  }

  info(...entry: Entry): void {
    this.made().info(...entry);
  }

  debug(...entry: Entry): void {
    this.made().debug(...entry);
  }

  trace(...entry: Entry): void {
    this.made().trace(...entry);
  }

  silent(): void {
    // Logs nothing, as its name says.
  }

  private made(): Logger {
    this.own ??= this.logger.child({ reqId: this.reqId });
    return this.own;
  }
}
