import { describe, expect, it } from '@jest/globals';
import { ssrfViolation, urlViolation, isLocalName, literalAddress } from './ssrf-policy.js';

const strict = { WEBHOOKS_ALLOW_HTTP: false, WEBHOOKS_ALLOW_PRIVATE_NETWORKS: false };
const development = { WEBHOOKS_ALLOW_HTTP: true, WEBHOOKS_ALLOW_PRIVATE_NETWORKS: true };

/** Reasons for a refusal: with the settings of production, and with the settings of development. */
type Reasons = readonly [strict: string | null, development: string | null];
const allowed: Reasons = [null, null];
const forbidden = (reason: string): Reasons => [reason, reason];
const onlyStrict = (reason: string): Reasons => [reason, null];
const notPublic = (address: string, name: string) => `${address} is not a public address (${name})`;
const metadata = (address: string) => `${address} is a metadata service`;

describe('ssrfViolation', () => {
  it.each<[string, Reasons]>([
    ['1.1.1.1', allowed],
    ['192.0.1.1', allowed],
    ['2606:4700::1111', allowed],
    ['3ffe:ffff::1', allowed],
    ['127.0.0.1', onlyStrict(notPublic('127.0.0.1', 'loopback'))],
    ['::1', onlyStrict(notPublic('::1', 'loopback'))],
    ['10.0.0.1', onlyStrict(notPublic('10.0.0.1', 'private'))],
    ['172.31.255.255', onlyStrict(notPublic('172.31.255.255', 'private'))],
    ['192.168.1.1', onlyStrict(notPublic('192.168.1.1', 'private'))],
    ['100.64.0.1', onlyStrict(notPublic('100.64.0.1', 'carrierGradeNat'))],
    ['fd12:3456::1', onlyStrict(notPublic('fd12:3456::1', 'uniqueLocal'))],
    ['::ffff:7f00:1', onlyStrict(notPublic('127.0.0.1', 'loopback'))],
    ['169.254.0.1', forbidden(notPublic('169.254.0.1', 'linkLocal'))],
    ['::ffff:169.254.169.254', forbidden(notPublic('169.254.169.254', 'linkLocal'))],
    ['fe80::1%eth0', forbidden(notPublic('fe80::1%eth0', 'linkLocal'))],
    ['2606:4700::1111%eth0', forbidden(notPublic('2606:4700::1111%eth0', 'unicast'))],
    ['100.100.100.200', forbidden(metadata('100.100.100.200'))],
    ['168.63.129.16', forbidden(metadata('168.63.129.16'))],
    ['fd00:ec2::254', forbidden(metadata('fd00:ec2::254'))],
    ['fd20:ce::254', forbidden(metadata('fd20:ce::254'))],
    ['0.1.2.3', forbidden(notPublic('0.1.2.3', 'unspecified'))],
    ['64:ff9b::7f00:1', forbidden(notPublic('64:ff9b::7f00:1', 'rfc6052'))],
    ['2002:7f00:1::', forbidden(notPublic('2002:7f00:1::', '6to4'))],
    ['192.0.2.1', forbidden(notPublic('192.0.2.1', 'reserved'))],
    ['224.0.0.1', forbidden(notPublic('224.0.0.1', 'multicast'))],
    ['255.255.255.255', forbidden(notPublic('255.255.255.255', 'broadcast'))],
    ['4000::1', forbidden(notPublic('4000::1', 'unicast'))],
    ['hooks.example', forbidden('hooks.example is not an IP address')],
  ])('of %s in production and in development is %p', (address, reasons) => {
    const found = [strict, development].map((policy) => ssrfViolation(address, policy));
    expect(found).toEqual(reasons);
  });
});

describe('urlViolation', () => {
  const credentials = forbidden('it must not contain a user name or password');
  const insecure = 'it must start with https:// (WEBHOOKS_ALLOW_HTTP allows http://)';
  const loopback = notPublic('127.0.0.1', 'loopback');

  it.each<[string, Reasons]>([
    ['https://example.com/hook', allowed],
    ['https://1.1.1.1:8443/', allowed],
    ['https://[2606:4700::1111]/', allowed],
    ['example.com', forbidden('it is not a URL')],
    ['http://example.com/', onlyStrict(insecure)],
    ['ftp://example.com/', forbidden(insecure)],
    ['https://user@example.com/', credentials],
    ['https://:pass@example.com/', credentials],
    ['https://a.LOCALHOST./', onlyStrict('a.localhost. is this machine')],
    ['https://127.1/', onlyStrict(loopback)],
    ['https://0x7f000001/', onlyStrict(loopback)],
    ['https://①②⑦.0.0.1/', onlyStrict(loopback)],
    ['https://[0:0:0:0:0:ffff:7f00:1]/', onlyStrict(loopback)],
    ['https://2852039166/', forbidden(notPublic('169.254.169.254', 'linkLocal'))],
    ['https://[fe80::1]/', forbidden(notPublic('fe80::1', 'linkLocal'))],
  ])('of %s in production and in development is %p', (url, reasons) => {
    expect([strict, development].map((policy) => urlViolation(url, policy))).toEqual(reasons);
  });
});

it.each([
  ['1.1.1.1', '1.1.1.1'],
  ['[::1]', '::1'],
  ['example.com', null],
  ['a[::1]', null],
  ['[::1]a', null],
])('literalAddress(%j) returns %j', (host, address) => {
  expect(literalAddress(host)).toBe(address);
});

it.each([
  ['LocalHost.', true],
  ['a.localhost', true],
  ['localhost.example.com', false],
  ['mylocalhost', false],
  ['localhosts', false],
])('isLocalName(%j) returns %p', (name, isLocal) => {
  expect(isLocalName(name)).toBe(isLocal);
});
