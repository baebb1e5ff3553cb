import { describe, expect, it } from '@jest/globals';
import { isSignedWith, newSecret, signedHeaders, signingSecrets } from './signing-secret.js';

// These values are the example of the Standard Webhooks specification.
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}' };
const now = new Date(1_614_265_330_999);
const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';

describe('signedHeaders', () => {
  it('returns the headers of the Standard Webhooks specification', () => {
    expect(signedHeaders(message, [secret], now)).toEqual({
      'webhook-id': message.id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': signature,
    });
  });

  it('returns one signature per secret, in the given order', () => {
    const headers = signedHeaders(message, [newSecret(), secret], now);
    expect(headers['webhook-signature'].split(' ')).toEqual([
      expect.stringMatching(/^v1,[\w+/]{43}=$/),
      signature,
    ]);
  });
});

describe('isSignedWith', () => {
  const signed = { id: message.id, timestamp: '1614265330', signatures: signature };
  it.each<[string, boolean, Partial<typeof signed>, string?]>([
    ['accepts the signature', true, {}],
    ['accepts the signature among others', true, { signatures: `v1,AAAA ${signature}` }],
    ['refuses another id', false, { id: 'msg_1' }],
    ['refuses another time', false, { timestamp: '1614265331' }],
    ['refuses another body', false, {}, '{}'],
    ['refuses another version', false, { signatures: signature.replace('v1', 'v2') }],
    ['refuses a shorter signature', false, { signatures: signature.slice(0, -8) }],
    ['refuses an empty signature', false, { signatures: '' }],
  ])('%s', (_title, isSigned, changes, body = message.body) => {
    expect(isSignedWith(secret, Buffer.from(body), { ...signed, ...changes })).toBe(isSigned);
  });
});

describe('signingSecrets', () => {
  const secretUntil = (expiresAt: Date | null) => ({ sealed: 'x', createdAt: now, expiresAt });
  const current = secretUntil(null);
  const replaced = secretUntil(new Date(now.getTime() + 1));

  it('returns the current secret and replaced ones until they expire, in their order', () => {
    const expired = [secretUntil(now), secretUntil(new Date(now.getTime() - 1))];
    expect(signingSecrets([current, replaced, ...expired], now)).toEqual([current, replaced]);
  });

  it.each([[null], [undefined], [[]]])('returns no secret for %p', (secrets) => {
    expect(signingSecrets(secrets, now)).toEqual([]);
  });
});

describe('newSecret', () => {
  it('returns 32 random bytes in the Standard Webhooks format', () => {
    expect(newSecret()).toMatch(/^whsec_[\w+/]{43}=$/);
    expect(newSecret()).not.toBe(newSecret());
  });
});
