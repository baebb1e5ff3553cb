import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Clock } from '../../core/configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import { hourMs, minuteMs } from '../../core/values/time.js';
import { ConsoleSessionsRepository } from './console-sessions.repository.js';

export interface Session {
  /** Identifies the session in logs, but cannot open one. */
  readonly name: string;
  /** Every form of the session sends it, so that forms of other websites are refused (rule OPS-30). */
  readonly formToken: string;
}

const cookieName = 'console-session';
const sessionMs = 8 * hourMs;
const linkMs = 10 * minuteMs;
const secretBytes = 32;
const secretPattern = /^[\w-]{43}$/;
const nameLength = 12;

/** The database holds the sessions, which therefore work with all instances and end at a logout (rule OPS-30). */
@Injectable()
export class ConsoleSessionsService {
  /** Sessions of development begin without a password. */
  private readonly password: string;

  constructor(
    private readonly sessions: ConsoleSessionsRepository,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) { OPS_PASSWORD }: Environment,
  ) {
    this.password = OPS_PASSWORD === undefined ? 'none' : hashOf(OPS_PASSWORD.hash);
  }

  /** @returns the secret of a link that logs in once, within ten minutes */
  async createLink(): Promise<string> {
    const secret = newSecret();
    await this.store(secret, 'link', linkMs);
    return secret;
  }

  /** Uses the link up. @returns false if it is unknown, used or too old */
  async useLink(secret: string): Promise<boolean> {
    return this.sessions.end(this.documentOf(secret, 'link'), this.clock.now());
  }

  /** @param path limits where browsers send the cookie */
  async begin(request: FastifyRequest, reply: FastifyReply, path: string): Promise<Session> {
    const secret = newSecret();
    await this.store(secret, 'session', sessionMs);
    const options = { ...attributesOf(request, path), maxAge: sessionMs / 1_000 };
    reply.setCookie(cookieName, secret, options);
    return sessionOf(secret);
  }

  async find({ cookies }: FastifyRequest): Promise<Session | null> {
    const secret = cookies[cookieName] ?? '';
    if (!secretPattern.test(secret)) return null;
    const isOpen = await this.sessions.isOpen(this.documentOf(secret, 'session'), this.clock.now());
    return isOpen ? sessionOf(secret) : null;
  }

  async end(request: FastifyRequest, reply: FastifyReply, path: string): Promise<void> {
    const secret = request.cookies[cookieName] ?? '';
    await this.sessions.end(this.documentOf(secret, 'session'), this.clock.now());
    reply.clearCookie(cookieName, attributesOf(request, path));
  }

  private async store(secret: string, kind: 'session' | 'link', lifetimeMs: number): Promise<void> {
    const expiresAt = new Date(this.clock.now().getTime() + lifetimeMs);
    await this.sessions.add({ ...this.documentOf(secret, kind), expiresAt });
  }

  private documentOf(secret: string, kind: 'session' | 'link') {
    return { _id: hashOf(secret), kind, password: this.password };
  }
}

export function isOwnForm({ formToken }: Pick<Session, 'formToken'>, token: string): boolean {
  const [given, expected] = [Buffer.from(token), Buffer.from(formToken)];
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function sessionOf(secret: string): Session {
  return {
    name: hashOf(secret).slice(0, nameLength),
    formToken: createHmac('sha256', secret).update('forms').digest('base64url'),
  };
}

function newSecret(): string {
  return randomBytes(secretBytes).toString('base64url');
}

function hashOf(secret: string | Buffer): string {
  return createHash('sha256').update(secret).digest('base64url');
}

function attributesOf({ protocol }: FastifyRequest, path: string) {
  const secure = protocol === 'https';
  return { path, httpOnly: true, sameSite: 'strict', secure } as const;
}
