import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook, WebhookVerificationError } from '../../clients/typescript/src/index.js';

const sentAt = new Date('2030-01-01T00:00:00Z');
const body =
  '{"type":"webhook.ping","timestamp":"2030-01-01T00:00:00.000Z","data":{"text":"عربي"}}';
const secret = () => `whsec_${randomBytes(32).toString('base64')}`;
const [ours, old, foreign] = [secret(), secret(), secret()];

/** The headers that the service sends, signed by another implementation than the client's. */
const signedWith = (...secrets: string[]) => ({
  'webhook-id': 'msg_1',
  'webhook-timestamp': String(sentAt.getTime() / 1_000),
  'webhook-signature': secrets
    .map((each) => new Webhook(each).sign('msg_1', sentAt, body))
    .join(' '),
});
const at = (seconds: number) => ({ now: () => sentAt.getTime() + seconds * 1_000 });

describe('verifyWebhook', () => {
  it('returns the event and its id', () => {
    const { id, event } = verifyWebhook(body, signedWith(ours), ours, at(0));
    expect(id).toBe('msg_1');
    expect(event).toEqual(JSON.parse(body));
    const headers = new Headers(signedWith(ours));
    expect(verifyWebhook(Buffer.from(body), headers, ours, at(0)).event).toEqual(event);
  });

  it.each([
    ['the new secret when both sign', [ours, old], ours],
    ['the old secret when both sign', [ours, old], old],
    ['several secrets of which one signs', [old], [ours, old]],
    ['a secret without its prefix', [ours], ours.replace('whsec_', '')],
  ])('accepts %s', (_, signers, secrets) => {
    expect(verifyWebhook(body, signedWith(...signers), secrets, at(0)).id).toBe('msg_1');
  });

  it.each([-300, 300])('accepts a clock difference of %i seconds', (seconds) => {
    expect(verifyWebhook(body, signedWith(ours), ours, at(seconds)).id).toBe('msg_1');
  });

  it.each<[string, Record<string, string>, string, number, object?]>([
    ['another secret', signedWith(foreign), body, 0],
    ['another body', signedWith(ours), body.replace('ping', 'pong'), 0],
    ['another id', { ...signedWith(ours), 'webhook-id': 'msg_2' }, body, 0],
    ['another time', { ...signedWith(ours), 'webhook-timestamp': '1893456001' }, body, 0],
    ['an old request', signedWith(ours), body, 301],
    ['a request from the future', signedWith(ours), body, -301],
    ['a request beyond a smaller tolerance', signedWith(ours), body, 31, { toleranceSeconds: 30 }],
    ['an invalid time', { ...signedWith(ours), 'webhook-timestamp': 'NaN' }, body, 0],
    ['no id', { ...signedWith(ours), 'webhook-id': '' }, body, 0],
    ['no signature', { ...signedWith(ours), 'webhook-signature': '' }, body, 0],
    ['half a signature', { ...signedWith(ours), 'webhook-signature': 'v1,K5oZ' }, body, 0],
    [
      'another version',
      {
        ...signedWith(ours),
        'webhook-signature': signedWith(ours)['webhook-signature'].replace('v1', 'v2'),
      },
      body,
      0,
    ],
  ])('rejects %s', (_, headers, sent, seconds, options = {}) => {
    expect(() => verifyWebhook(sent, headers, ours, { ...at(seconds), ...options })).toThrow(
      WebhookVerificationError,
    );
  });

  it('rejects an empty secret', () => {
    expect(() => verifyWebhook(body, signedWith(ours), 'whsec_', at(0))).toThrow('empty');
  });
});
