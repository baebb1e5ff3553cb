import cookies from '@fastify/cookie';
import forms from '@fastify/formbody';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Clock } from '../../core/configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import { DatabaseConnection } from '../../core/database/connection/database-connection.js';
import {
  isDatabaseUnavailable,
  withinDeadline,
} from '../../core/database/connection/database-errors.js';
import { LoginAttempts } from './access/login-attempts.js';
import { Sessions } from './access/sessions.js';
import { formFieldsOf, nextOf, PageResponses, redirectToLogin } from './page-responses.js';
import type { ConsolePage, PageContent, Redirect } from './pages/page.js';
import { consolePath } from './pages/shared/parts.js';

export const CONSOLE_PAGES = Symbol('ConsolePages');

/** Served without a session. */
const publicPaths: ReadonlySet<string> = new Set(
  ['login', 'console.css', 'data.css'].map((name) => `${consolePath}/${name}`),
);

const maxBodyBytes = 65_536;

const headers = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

const assets = {
  'console.css': 'text/css; charset=utf-8',
  'data.css': 'text/css; charset=utf-8',
  'console.js': 'text/javascript; charset=utf-8',
} as const;

/** The operator's web pages, protected by the operator's password (rule OPS-30). */
@Injectable()
export class Console {
  private readonly logger = new Logger(Console.name);

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @Inject(CONSOLE_PAGES) private readonly pages: readonly ConsolePage[],
    private readonly attempts: LoginAttempts,
    private readonly clock: Clock,
    private readonly database: DatabaseConnection,
  ) {}

  /** Serves the console under `/console`; does nothing without OPS_PASSWORD. */
  async addTo(server: FastifyInstance): Promise<void> {
    const { OPS_PASSWORD: password } = this.environment;
    if (password === undefined) return;
    const sessions = new Sessions(password, this.clock, consolePath);
    const responses = new PageResponses(sessions, this.pages, this.clock);
    await server.register(
      async (scope) => {
        await scope.register(cookies, { secret: sessions.cookieKey });
        scope.removeAllContentTypeParsers();
        await scope.register(forms, { bodyLimit: maxBodyBytes });
        this.guard(scope, sessions, responses);
        this.handleFailures(scope, responses);
        addAssets(scope);
        this.addLogin(scope, sessions, responses);
        for (const page of this.pages) this.addPage(scope, page, responses);
      },
      { prefix: consolePath },
    );
  }

  /** Its hooks run for unknown addresses, too. */
  private guard(scope: FastifyInstance, sessions: Sessions, responses: PageResponses): void {
    scope.decorateRequest('consoleSession', null);
    const hosts = new Set(['localhost', ...(this.environment.OPS_HOSTS ?? [])]);
    scope.addHook('onRequest', async (request, reply) => {
      reply.headers(headers);
      if (!isOwnHost(request.hostname, hosts))
        return reply.status(unknownHost.statusCode).send(unknownHost);
      request.consoleSession = sessions.of(request);
      const isPublic = publicPaths.has(request.routeOptions.url ?? '');
      if (request.consoleSession === null && !isPublic) return redirectToLogin(request, reply);
      return undefined;
    });
    scope.addHook('preValidation', async (request, reply) => {
      if (request.method !== 'POST') return undefined;
      const { consoleSession: session } = request;
      const isOwn =
        session === null || sessions.isOwnForm(session, formFieldsOf(request.body)['token'] ?? '');
      // The login's form has no token: the browser names the site that sent it.
      const site = request.headers['sec-fetch-site'] ?? 'same-origin';
      if (isOwn && ['same-origin', 'none'].includes(site)) return undefined;
      this.logger.warn(`Rejected a cross-site form submission from ${request.ip}.`);
      return responses.sendNotice(request, reply, 403, 'refused');
    });
  }

  private handleFailures(scope: FastifyInstance, responses: PageResponses): void {
    scope.setNotFoundHandler((request, reply) =>
      responses.sendNotice(request, reply, 404, 'missing'),
    );
    scope.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
      const { statusCode = 500 } = error;
      if (isDatabaseUnavailable(error)) {
        const { inUse, open } = this.database.use();
        return responses.sendNotice(request, reply, 503, 'unavailable', { used: inUse, open });
      }
      if (statusCode >= 500) this.logger.error(error, error.stack);
      const kind = statusCode === 400 ? 'invalid' : 'refused';
      return statusCode < 500
        ? responses.sendNotice(request, reply, statusCode, kind)
        : responses.sendNotice(request, reply, 500, 'failed');
    });
  }

  private addLogin(scope: FastifyInstance, sessions: Sessions, responses: PageResponses): void {
    scope.get('/login', (request, reply) => {
      if (request.consoleSession !== null) return reply.redirect(consolePath, 303);
      return responses.sendLogin(request, reply, 200);
    });
    scope.post('/login', async (request, reply) => {
      const { password = '' } = formFieldsOf(request.body);
      const outcome = await this.attempts.attempt(request.ip, password);
      if (outcome !== 'right') {
        this.logger.warn(`Login to the console from ${request.ip}: ${outcome}.`);
        if (outcome === 'too many') reply.header('retry-after', '30');
        const status = outcome === 'wrong' ? 401 : 429;
        const problem = outcome === 'wrong' ? 'login.wrong' : 'login.tooMany';
        return responses.sendLogin(request, reply, status, problem);
      }
      const session = sessions.begin(request, reply);
      this.logger.log(`Login to the console from ${request.ip}: session ${session}.`);
      return reply.redirect(nextOf(request), 303);
    });
    scope.post('/logout', (request, reply) => {
      sessions.end(request, reply);
      return reply.redirect(`${consolePath}/login`, 303);
    });
  }

  private addPage(scope: FastifyInstance, page: ConsolePage, responses: PageResponses): void {
    const send = async (
      request: FastifyRequest,
      reply: FastifyReply,
      work: Promise<PageContent | Redirect | null>,
    ) => {
      const outcome = await this.whileDatabaseResponds(work);
      if (outcome === null) return responses.sendNotice(request, reply, 404, 'missing');
      if (!('redirectTo' in outcome)) return responses.send(request, reply, page.title, outcome);
      return reply.redirect(consolePath + outcome.redirectTo, 303);
    };
    scope.get(page.path, (request, reply) =>
      send(request, reply, page.read(responses.pageRequest(request, reply))),
    );
    for (const action of page.actions ?? []) {
      scope.post(action.path, (request, reply) =>
        send(request, reply, action.run(responses.pageRequest(request, reply))),
      );
    }
  }

  /**
   * Waits as long as the database responds, since a replay of many deliveries takes long.
   *
   * @throws DatabaseUnavailableError within DATABASE_DEADLINE_MS otherwise
   */
  private async whileDatabaseResponds<T>(work: Promise<T>): Promise<T> {
    const part = this.environment.DATABASE_DEADLINE_MS / 4;
    return withinDeadline(work, 3 * part).catch(async (error: unknown) => {
      if (await this.database.respondsWithin(part)) return work;
      throw error;
    });
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    consoleSession: string | null;
  }
}

function addAssets(scope: FastifyInstance): void {
  for (const [name, type] of Object.entries(assets)) {
    const text = readFileSync(join(import.meta.dirname, 'assets', name));
    scope.get(`/${name}`, (_request, reply) => reply.type(type).send(text));
  }
}

/** Reveals nothing: the reader may be a page of another website (DNS rebinding). */
const unknownHost = {
  statusCode: 421,
  message:
    'The console is not served under this host name: use the address, or add it to OPS_HOSTS',
  error: 'Misdirected Request',
} as const;

/** Any website can let its name resolve to this host; an address is no website's. */
function isOwnHost(hostname: string, hosts: ReadonlySet<string>): boolean {
  return hosts.has(hostname.toLowerCase()) || isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0;
}
