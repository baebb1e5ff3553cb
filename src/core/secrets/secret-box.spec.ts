import { describe, expect, it } from '@jest/globals';
import { unseal, seal } from './secret-box.js';

const [older, newer, foreign] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2), Buffer.alloc(32, 3)];
const changedWords = 'was changed, or sealed for another owner';
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

describe('seal and unseal', () => {
  it('return the secret after a newer key is added', () => {
    const sealed = seal(secret, [older], 'endpoint');
    expect(unseal(sealed, [newer, older], 'endpoint')).toBe(secret);
    expect(sealed).not.toContain(secret.slice(6));
    expect(seal(secret, [older], 'endpoint')).not.toBe(sealed);
  });

  it('use the newest key for a new secret', () => {
    const sealed = seal(secret, [newer, older], 'endpoint');
    expect(unseal(sealed, [newer], 'endpoint')).toBe(secret);
    expect(() => unseal(sealed, [older], 'endpoint')).toThrow('is missing in ENCRYPTION_KEYS');
  });

  it('reject a missing key, another owner and a modified secret', () => {
    const sealed = seal(secret, [newer], 'endpoint');
    expect(() => unseal(sealed, [foreign], 'endpoint')).toThrow('is missing in ENCRYPTION_KEYS');
    expect(() => unseal(sealed, [newer], 'another')).toThrow(changedWords);
    const at = sealed.lastIndexOf('.') + 20;
    const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
    expect(() => unseal(changed, [newer], 'endpoint')).toThrow(changedWords);
    expect(() => unseal(sealed.slice(0, 30), [newer], 'endpoint')).toThrow(changedWords);
    expect(() => unseal('', [newer], 'endpoint')).toThrow('is missing in ENCRYPTION_KEYS');
  });
});
