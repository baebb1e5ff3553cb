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
import { ConsoleSessionsService, isOwnForm } from '../console-sessions/console-sessions.service.js';
import { consolePath } from './components/components.js';
import { LoginRateLimiter } from './login-rate-limiter.js';
import type { ConsolePage, PageRequest, RenderContext } from './page.js';
import { PageServices } from './page-services.js';
import { pages } from './pages/pages.js';
import {
  addressAfterLogin,
  formOf,
  redirectToLogin,
  renderContextOf,
  sendLogin,
  sendNotice,
  sendPage,
} from './responses.js';

/** The build copies these files of packages. */
const libraries = {
  'tabler.css': '@tabler/core/dist/css/tabler.min.css',
  'chart.js': 'chart.js/dist/chart.umd.min.js',
} as const;

const loginPath = `${consolePath}/login`;

/** Files without data, for which no session is looked up. */
const assetPaths: ReadonlySet<string> = new Set(
  ['console.css', 'console.js', 'theme.js', ...Object.keys(libraries)].map(
    (name) => `${consolePath}/${name}`,
  ),
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
    // Tabler's style sheet contains its icons.
    "img-src 'self' data:",
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

/** Only the operator's password or, in development, a link logs in (rule OPS-30). */
@Injectable()
export class OperatorConsole {
  private readonly logger = new Logger('Console');

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly services: PageServices,
    private readonly sessions: ConsoleSessionsService,
    private readonly limiter: LoginRateLimiter,
  ) {}

  async addTo(server: FastifyInstance): Promise<void> {
    await server.register(
      async (scope) => {
        await scope.register(cookies);
        scope.removeAllContentTypeParsers();
        await scope.register(forms, formOptions);
        this.guard(scope);
        this.handleFailures(scope);
        await this.addAssets(scope);
        this.addLogin(scope);
        for (const page of pages) this.addPage(scope, page);
      },
      { prefix: consolePath },
    );
  }

  /** @returns the path of a link that logs in once, within ten minutes */
  async createLoginPath(): Promise<string> {
    return `${consolePath}/login?link=${await this.sessions.createLink()}`;
  }

  /** Fastify also runs hooks for unknown addresses, which therefore require a login, too. */
  private guard(scope: FastifyInstance): void {
    scope.decorateRequest('renderContext');
    const hosts = new Set(['localhost', ...(this.environment.OPS_ALLOWED_HOSTS ?? [])]);
    scope.addHook('onRequest', async (request, reply) => {
      reply.headers(headers);
      if (!isOwnHost(request.hostname, hosts))
        return reply.status(unknownHost.statusCode).send(unknownHost);
      const now = this.services.clock.now();
      request.renderContext = renderContextOf(request, now, null);
      const { url: path = '' } = request.routeOptions;
      if (assetPaths.has(path)) return undefined;
      const session = await this.whileDatabaseResponds(this.sessions.find(request));
      request.renderContext = renderContextOf(request, now, session);
      const isAllowed = session !== null || path === loginPath;
      return isAllowed ? undefined : redirectToLogin(request, reply);
    });
    scope.addHook('preValidation', async (request, reply) => {
      if (request.method !== 'POST') return undefined;
      const { session, formToken } = request.renderContext;
      const isLogin = request.routeOptions.url === loginPath;
      const isOwn =
        session === null || isLogin || isOwnForm({ formToken }, formOf(request)['token'] ?? '');
      // The login form has no token, but the browser names the site that sent it.
      const site = request.headers['sec-fetch-site'] ?? 'same-origin';
      if (isOwn && ['same-origin', 'none'].includes(site)) return undefined;
      this.logger.warn(`Refused a cross-site form submission from ${request.ip}.`);
      return sendNotice(request, reply, 403, 'refused');
    });
  }

  private handleFailures(scope: FastifyInstance): void {
    scope.setNotFoundHandler((request, reply) => sendNotice(request, reply, 404, 'missing'));
    scope.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
      const { statusCode = 500 } = error;
      if (isDatabaseUnavailable(error)) {
        const { inUse, open } = this.services.database.poolUsage();
        const detail = `${inUse} of ${open} connections of this process are in use.`;
        return sendNotice(request, reply, 503, 'unavailable', detail);
      }
      if (statusCode < 500) {
        const kind = statusCode === 400 ? 'invalid' : 'refused';
        return sendNotice(request, reply, statusCode, kind);
      }
      this.logger.error(error, error.stack);
      return sendNotice(request, reply, 500, 'failed');
    });
  }

  private async addAssets(scope: FastifyInstance): Promise<void> {
    const folder = import.meta.dirname;
    await scope.register(assets, { root: join(folder, 'assets'), wildcard: false });
    for (const [name, file] of Object.entries(libraries)) {
      scope.get(`/${name}`, (_request, reply) => reply.sendFile(file, join(folder, 'libraries')));
    }
  }

  private addLogin(scope: FastifyInstance): void {
    const hasPassword = this.environment.OPS_PASSWORD !== undefined;
    const logIn = async (request: FastifyRequest, reply: FastifyReply, way: string) => {
      const { name } = await this.sessions.begin(request, reply, consolePath);
      this.logger.log(`Console login from ${request.ip} by ${way} succeeded: session ${name}.`);
      return reply.redirect(addressAfterLogin(request), 303);
    };
    // HEAD, which programs send to look at a link, must not use it up.
    scope.get('/login', { exposeHeadRoute: false }, async (request, reply) => {
      const { session, query } = request.renderContext;
      if (session !== null) return reply.redirect(consolePath, 303);
      const { link } = query;
      if (link === undefined) return sendLogin(request, reply, { hasPassword });
      if (await this.sessions.useLink(link)) return logIn(request, reply, 'link');
      return sendLogin(request, reply, { status: 401, problem: 'link', hasPassword });
    });
    scope.post('/login', async (request, reply) => {
      // Another tab may have logged in.
      if (request.renderContext.session !== null)
        return reply.redirect(addressAfterLogin(request), 303);
      const { password = '' } = formOf(request);
      const outcome = await this.limiter.attempt(request.ip, password);
      if (outcome === 'right') return logIn(request, reply, 'password');
      this.logger.warn(`Refused a console login from ${request.ip}: ${outcome}.`);
      if (outcome === 'too many') reply.header('retry-after', '30');
      const status = outcome === 'wrong' ? 401 : 429;
      return sendLogin(request, reply, { status, problem: outcome, hasPassword });
    });
    scope.post('/logout', async (request, reply) => {
      await this.sessions.end(request, reply, consolePath);
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
    return { ...context, session, address, form: formOf(request), deadlineMs, services };
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
