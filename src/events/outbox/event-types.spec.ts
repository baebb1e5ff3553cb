import { describe, expect, it } from '@jest/globals';
import { coversType, subscriptions } from './event-types.js';

describe('coversType', () => {
  it.each([
    [['*'], 'lead.created', true],
    [['lead.*'], 'lead.created', true],
    [['client.*', 'lead.created'], 'lead.created', true],
    [['lead.created'], 'lead.updated', false],
    [['client.*'], 'lead.created', false],
    [['lead'], 'lead.created', false],
    [[], 'lead.created', false],
  ])('returns for %j and %s %p', (subscribed, type, isCovered) => {
    expect(coversType(subscribed, type)).toBe(isCovered);
  });
});

describe('subscriptions', () => {
  it('cover all types, each kind of object and each single type', () => {
    expect(subscriptions).toEqual(
      expect.arrayContaining(['*', 'unit.*', 'wallet.*', 'lead.deleted']),
    );
    expect(subscriptions).not.toContain('webhook.ping');
  });
});
