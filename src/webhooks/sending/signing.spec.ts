import { describe, expect, it } from '@jest/globals';
import { newSecret } from '../../core/secrets/signing-secret.js';
import { signedHeaders } from './signing.js';

// The example of the Standard Webhooks specification.
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}' };
const now = new Date(1_614_265_330_999);
const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';

describe('signedHeaders', () => {
  it('signs as the specification shows', () => {
    expect(signedHeaders(message, [secret], now)).toEqual({
      'webhook-id': message.id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': signature,
    });
  });

  it('gives one signature for each secret, in their order', () => {
    const headers = signedHeaders(message, [newSecret(), secret], now);
    expect(headers['webhook-signature'].split(' ')).toEqual([
      expect.stringMatching(/^v1,[\w+/]{43}=$/),
      signature,
    ]);
  });
});

describe('newSecret', () => {
  it('is 32 random bytes as Standard Webhooks writes them', () => {
    expect(newSecret()).toMatch(/^whsec_[\w+/]{43}=$/);
    expect(newSecret()).not.toBe(newSecret());
  });
});
