import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook, WebhookVerificationError } from '../../clients/typescript/src/index.js';

const sentAt = new Date('2030-01-01T00:00:00Z');
const body =
  '{"type":"webhook.ping","timestamp":"2030-01-01T00:00:00.000Z","data":{"text":"عربي"}}';
const secret = () => `whsec_${randomBytes(32).toString('base64')}`;
const [ours, old, foreign] = [secret(), secret(), secret()];

/** Signs the headers with another library than the client's, so that the two verify each other. */
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
    const event = verifyWebhook(body, signedWith(ours), ours, at(0));
    expect(event).toEqual({ ...(JSON.parse(body) as object), id: 'msg_1' });
    const headers = new Headers(signedWith(ours));
    expect(verifyWebhook(Buffer.from(body), headers, ours, at(0))).toEqual(event);
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

  const signature = signedWith(ours)['webhook-signature'];

  it.each<[string, { headers?: object; sent?: string; seconds?: number; options?: object }]>([
    ['another secret', { headers: signedWith(foreign) }],
    ['another body', { sent: body.replace('ping', 'pong') }],
    ['another id', { headers: { 'webhook-id': 'msg_2' } }],
    ['another time', { headers: { 'webhook-timestamp': '1893456001' } }],
    ['an old request', { seconds: 301 }],
    ['a request from the future', { seconds: -301 }],
    ['a request beyond a smaller tolerance', { seconds: 31, options: { toleranceSeconds: 30 } }],
    ['an invalid time', { headers: { 'webhook-timestamp': 'NaN' } }],
    ['no id', { headers: { 'webhook-id': '' } }],
    ['no signature', { headers: { 'webhook-signature': '' } }],
    ['half a signature', { headers: { 'webhook-signature': 'v1,K5oZ' } }],
    ['another version', { headers: { 'webhook-signature': signature.replace('v1', 'v2') } }],
  ])('rejects %s', (_, { headers, sent = body, seconds = 0, options }) => {
    const signed = { ...signedWith(ours), ...headers };
    const verify = () => verifyWebhook(sent, signed, ours, { ...at(seconds), ...options });
    expect(verify).toThrow(WebhookVerificationError);
  });

  it('rejects an empty secret', () => {
    expect(() => verifyWebhook(body, signedWith(ours), 'whsec_', at(0))).toThrow('empty');
  });
});
