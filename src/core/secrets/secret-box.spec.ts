import { describe, expect, it } from '@jest/globals';
import { open, seal } from './secret-box.js';

const [older, newer, foreign] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2), Buffer.alloc(32, 3)];
const changedWords = 'was changed, or sealed for another owner';
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

describe('seal and open', () => {
  it('return the secret after a newer key is added', () => {
    const sealed = seal(secret, [older], 'endpoint');
    expect(open(sealed, [newer, older], 'endpoint')).toBe(secret);
    expect(sealed).not.toContain(secret.slice(6));
    expect(seal(secret, [older], 'endpoint')).not.toBe(sealed);
  });

  it('use the newest key for a new secret', () => {
    const sealed = seal(secret, [newer, older], 'endpoint');
    expect(open(sealed, [newer], 'endpoint')).toBe(secret);
    expect(() => open(sealed, [older], 'endpoint')).toThrow('is missing in ENCRYPTION_KEYS');
  });

  it('reject a missing key, another owner and a modified secret', () => {
    const sealed = seal(secret, [newer], 'endpoint');
    expect(() => open(sealed, [foreign], 'endpoint')).toThrow('is missing in ENCRYPTION_KEYS');
    expect(() => open(sealed, [newer], 'another')).toThrow(changedWords);
    const at = sealed.lastIndexOf('.') + 20;
    const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
    expect(() => open(changed, [newer], 'endpoint')).toThrow(changedWords);
    expect(() => open(sealed.slice(0, 30), [newer], 'endpoint')).toThrow(changedWords);
    expect(() => open('', [newer], 'endpoint')).toThrow('is missing in ENCRYPTION_KEYS');
  });
});
