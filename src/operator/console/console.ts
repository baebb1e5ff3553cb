import cookies from '@fastify/cookie';
import forms from '@fastify/formbody';
import assets from '@fastify/static';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  isDatabaseUnavailable,
  withinDeadline,
} from '../../core/database/connection/database-errors.js';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import { normalizedHost } from '../../core/values/text.js';
import { LoginRateLimiter } from './access/login-rate-limiter.js';
import { Sessions } from './access/sessions.js';
import type { ConsolePage, PageRequest, RenderContext } from './pages/page.js';
import { pages } from './pages/pages.js';
import { PageServices } from './pages/services.js';
import { consolePath } from './pages/shared/components.js';
import {
  formOf,
  addressAfterLogin,
  renderContextOf,
  redirectToLogin,
  sendLogin,
  sendNotice,
  sendPage,
} from './responses.js';

const publicPaths: ReadonlySet<string> = new Set(
  ['login', 'console.css'].map((name) => `${consolePath}/${name}`),
);

const formOptions = {
  bodyLimit: 65_536,
  parser: (form: string) => Object.fromEntries(new URLSearchParams(form)),
};

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

/** The operator's password protects all pages (rule OPS-30). */
@Injectable()
export class Console {
  private readonly logger = new Logger(Console.name);

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly services: PageServices,
    private readonly limiter: LoginRateLimiter,
  ) {}

  /** Does nothing without OPS_PASSWORD. */
  async addTo(server: FastifyInstance): Promise<void> {
    const { OPS_PASSWORD: password } = this.environment;
    if (password === undefined) return;
    const sessions = new Sessions(password, this.services.clock, consolePath);
    await server.register(
      async (scope) => {
        await scope.register(cookies, { secret: sessions.cookieKey });
        scope.removeAllContentTypeParsers();
        await scope.register(forms, formOptions);
        this.guard(scope, sessions);
        this.handleFailures(scope);
        await scope.register(assets, {
          root: join(import.meta.dirname, 'assets'),
          wildcard: false,
          decorateReply: false,
        });
        this.addLogin(scope, sessions);
        for (const page of pages) this.addPage(scope, page);
      },
      { prefix: consolePath },
    );
  }

  /** Fastify also runs hooks for unknown addresses, which therefore require a login, too. */
  private guard(scope: FastifyInstance, sessions: Sessions): void {
    scope.decorateRequest('renderContext');
    const hosts = new Set(['localhost', ...(this.environment.OPS_ALLOWED_HOSTS ?? [])]);
    scope.addHook('onRequest', async (request, reply) => {
      reply.headers(headers);
      if (!isOwnHost(request.hostname, hosts))
        return reply.status(unknownHost.statusCode).send(unknownHost);
      const session = sessions.find(request);
      const formToken = session === null ? '' : sessions.formToken(session);
      request.renderContext = renderContextOf(request, reply, { session, formToken });
      const isPublic = publicPaths.has(request.routeOptions.url ?? '');
      if (session === null && !isPublic) return redirectToLogin(request, reply);
      return undefined;
    });
    scope.addHook('preValidation', async (request, reply) => {
      if (request.method !== 'POST') return undefined;
      const { session } = request.renderContext;
      const isOwn = session === null || sessions.isOwnForm(session, formOf(request)['token'] ?? '');
      // The login form has no token, but the browser names the site that sent it.
      const site = request.headers['sec-fetch-site'] ?? 'same-origin';
      if (isOwn && ['same-origin', 'none'].includes(site)) return undefined;
      this.logger.warn(`Rejected a cross-site form submission from ${request.ip}.`);
      return sendNotice(request, reply, 403, 'refused');
    });
  }

  private handleFailures(scope: FastifyInstance): void {
    scope.setNotFoundHandler((request, reply) => sendNotice(request, reply, 404, 'missing'));
    scope.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
      const { statusCode = 500 } = error;
      if (isDatabaseUnavailable(error)) {
        const { inUse, open } = this.services.database.poolUsage();
        return sendNotice(request, reply, 503, 'unavailable', { used: inUse, open });
      }
      if (statusCode < 500) {
        const kind = statusCode === 400 ? 'invalid' : 'refused';
        return sendNotice(request, reply, statusCode, kind);
      }
      this.logger.error(error, error.stack);
      return sendNotice(request, reply, 500, 'failed');
    });
  }

  private addLogin(scope: FastifyInstance, sessions: Sessions): void {
    scope.get('/login', (request, reply) => {
      if (request.renderContext.session !== null) return reply.redirect(consolePath, 303);
      return sendLogin(request, reply, 200);
    });
    scope.post('/login', async (request, reply) => {
      const { password = '' } = formOf(request);
      const outcome = await this.limiter.attempt(request.ip, password);
      if (outcome !== 'right') {
        this.logger.warn(`Rejected a console login from ${request.ip}: ${outcome}.`);
        if (outcome === 'wrong') return sendLogin(request, reply, 401, 'login.wrong');
        return sendLogin(request, reply.header('retry-after', '30'), 429, 'login.tooMany');
      }
      const session = sessions.begin(request, reply);
      this.logger.log(`Console login from ${request.ip} succeeded: session ${session}.`);
      return reply.redirect(addressAfterLogin(request), 303);
    });
    scope.post('/logout', (request, reply) => {
      sessions.end(request, reply);
      return reply.redirect(`${consolePath}/login`, 303);
    });
  }

  private addPage(scope: FastifyInstance, { path, title, read, actions }: ConsolePage): void {
    const handle =
      (work: NonNullable<ConsolePage['actions']>[string]) =>
      async (request: FastifyRequest, reply: FastifyReply) => {
        const outcome = await this.whileDatabaseResponds(work(this.pageRequest(request)));
        if (outcome === null) return sendNotice(request, reply, 404, 'missing');
        if (!('redirectTo' in outcome))
          return sendPage(request.renderContext, reply, title, outcome);
        return reply.redirect(consolePath + outcome.redirectTo, 303);
      };
    scope.get(path, handle(read));
    for (const [name, action] of Object.entries(actions ?? {}))
      scope.post([path, name].filter(Boolean).join('/'), handle(action));
  }

  private pageRequest(request: FastifyRequest): PageRequest {
    const { renderContext: context, ip: address } = request;
    const { session } = context;
    if (session === null) throw new Error('A page was requested without a session.');
    const { services } = this;
    const { DATABASE_DEADLINE_MS: deadlineMs } = this.environment;
    const now = services.clock.now();
    return { ...context, session, address, form: formOf(request), now, deadlineMs, services };
  }

  /** Replaying many deliveries takes long. @throws DatabaseUnavailableError only if the database stops responding */
  private async whileDatabaseResponds<T>(work: Promise<T>): Promise<T> {
    const part = this.environment.DATABASE_DEADLINE_MS / 4;
    return withinDeadline(work, 3 * part).catch(async (error: unknown) => {
      if (await this.services.database.respondsWithin(part)) return work;
      throw error;
    });
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for every request below `/console`. */
    renderContext: RenderContext;
  }
}

/** Must reveal nothing: the reader may be a page of another website (DNS rebinding). */
const unknownHost = {
  statusCode: 421,
  message:
    'The console is not served under this host name: use the address, or add it to OPS_ALLOWED_HOSTS',
  error: 'Misdirected Request',
} as const;

/** Any website can let its name, but not an IP address, resolve to this host. */
function isOwnHost(hostname: string, hosts: ReadonlySet<string>): boolean {
  const name = normalizedHost(hostname);
  return hosts.has(name) || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0;
}
