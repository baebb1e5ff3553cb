import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../core/configuration/clock.js';
import type { ConsoleSession } from '../pages/page.js';
import { hourMs } from '../../../core/values/durations.js';
import { type ConsoleKeys, formToken } from './console-keys.js';

const cookieName = 'console-session';
const sessionMs = 8 * hourMs;
const idBytes = 12;

/**
 * Sessions of the console: a signed cookie says until when, and no instance has to know of it
 * (rule OPS-30).
 */
export class Sessions {
  /** @param path where browsers send the cookie */
  constructor(
    private readonly keys: ConsoleKeys,
    private readonly clock: Clock,
    private readonly path: string,
  ) {}

  /** Begins a session of 8 hours. */
  begin(request: FastifyRequest, reply: FastifyReply): ConsoleSession {
    const id = randomBytes(idBytes).toString('base64url');
    const expiresAt = new Date(this.clock.now().getTime() + sessionMs);
    reply.setCookie(cookieName, `${id}.${expiresAt.getTime()}`, {
      ...this.attributes(request),
      maxAge: sessionMs / 1_000,
      signed: true,
    });
    return { id, expiresAt };
  }

  /** The session of a request; null where it has none, or one that is over or made up. */
  of(request: FastifyRequest): ConsoleSession | null {
    const cookie = request.cookies[cookieName];
    if (cookie === undefined) return null;
    const { valid, value } = request.unsignCookie(cookie);
    const [id, expires, ...rest] = (valid ? value : '').split('.');
    if (!id || !expires || rest.length > 0) return null;
    const expiresAt = new Date(Number(expires));
    return expiresAt > this.clock.now() ? { id, expiresAt } : null;
  }

  /** Makes the browser forget its session. */
  end(request: FastifyRequest, reply: FastifyReply): void {
    reply.clearCookie(cookieName, this.attributes(request));
  }

  /** What each form of the session has to send. */
  formToken({ id }: ConsoleSession): string {
    return formToken(this.keys, id);
  }

  /** Whether a form is one of the session's. */
  isOwnForm(session: ConsoleSession, token: string): boolean {
    const [given, expected] = [token, this.formToken(session)].map((text) => Buffer.from(text));
    return (
      given !== undefined &&
      expected !== undefined &&
      given.length === expected.length &&
      timingSafeEqual(given, expected)
    );
  }

  private attributes({ protocol }: FastifyRequest) {
    const isEncrypted = protocol === 'https';
    return { path: this.path, httpOnly: true, sameSite: 'strict', secure: isEncrypted } as const;
  }
}
