import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../core/configuration/clock.js';
import { hourMs } from '../../../core/values/time.js';
import type { PasswordHash } from '../../../core/values/password-hash.js';

const cookieName = 'console-session';
const sessionMs = 8 * hourMs;
const idBytes = 12;
const keyBytes = 32;

/**
 * Stores no state: a signed cookie holds an id and the expiry. Keys are derived from the operator's password, so that
 * all instances share them and a new password ends all sessions (rule OPS-30).
 */
export class Sessions {
  readonly cookieKey: Buffer;
  private readonly formKey: Buffer;

  /** @param path limits where browsers send the cookie */
  constructor(
    { hash, salt }: PasswordHash,
    private readonly clock: Clock,
    private readonly path: string,
  ) {
    const derive = (purpose: string) =>
      Buffer.from(hkdfSync('sha256', hash, salt, `integration-api console ${purpose}`, keyBytes));
    this.cookieKey = derive('cookies');
    this.formKey = derive('forms');
  }

  begin(request: FastifyRequest, reply: FastifyReply): string {
    const id = randomBytes(idBytes).toString('base64url');
    reply.setCookie(cookieName, `${id}.${this.clock.now().getTime() + sessionMs}`, {
      ...this.attributes(request),
      maxAge: sessionMs / 1_000,
      signed: true,
    });
    return id;
  }

  find(request: FastifyRequest): string | null {
    const cookie = request.cookies[cookieName];
    if (cookie === undefined) return null;
    const { valid, value } = request.unsignCookie(cookie);
    const [id, expires, ...rest] = (valid ? value : '').split('.');
    if (!id || !expires || rest.length > 0) return null;
    return new Date(Number(expires)) > this.clock.now() ? id : null;
  }

  end(request: FastifyRequest, reply: FastifyReply): void {
    reply.clearCookie(cookieName, this.attributes(request));
  }

  /** Every form of the session sends it, so that forms of other websites are rejected (rule OPS-30). */
  formToken(session: string): string {
    return createHmac('sha256', this.formKey).update(session).digest('base64url');
  }

  isOwnForm(session: string, token: string): boolean {
    const [given, expected] = [Buffer.from(token), Buffer.from(this.formToken(session))];
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  private attributes({ protocol }: FastifyRequest) {
    const secure = protocol === 'https';
    return { path: this.path, httpOnly: true, sameSite: 'strict', secure } as const;
  }
}
