import { describe, expect, it } from '@jest/globals';
import { ssrfViolation, urlViolation, isLocalName, literalAddress } from './addresses.js';

const strict = { WEBHOOKS_ALLOW_HTTP: false, WEBHOOKS_ALLOW_PRIVATE_NETWORKS: false };
const development = { WEBHOOKS_ALLOW_HTTP: true, WEBHOOKS_ALLOW_PRIVATE_NETWORKS: true };

const publicAddresses = ['1.1.1.1', '8.8.8.8', '192.0.1.1', '2606:4700::1111', '2a00:1450::1'];
const privateAddresses = [
  '127.0.0.1',
  '127.255.255.254',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '::1',
  'fc00::1',
  'fd12:3456::1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:10.0.0.1',
  '::127.0.0.1',
];
const neverAllowed = [
  '169.254.169.254',
  '169.254.0.1',
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  'fe80::1',
  'fe80::1%eth0',
  '2606:4700::1111%eth0',
  'febf::1',
  'fd00:ec2::254',
  'fd20:ce::254',
  '100.100.100.200',
  '168.63.129.16',
  '0.0.0.0',
  '0.1.2.3',
  '::',
  '::7f00:1',
  '64:ff9b::7f00:1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::1',
  '2002:7f00:1::',
  '2001:0:7f00:1::',
  '2001:db8::1',
  '3fff::1',
  'fec0::1',
  '100::1',
  '4000::1',
  '5f00::1',
  'ff02::1',
  '224.0.0.1',
  '255.255.255.255',
  '240.0.0.1',
  '192.0.0.192',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '192.88.99.1',
  'localhost',
  '',
];

describe('ssrfViolation', () => {
  it.each(publicAddresses)('accepts %s', (address) => {
    expect(ssrfViolation(address, strict)).toBeNull();
  });

  it.each(privateAddresses)('accepts %s only with WEBHOOKS_ALLOW_PRIVATE_NETWORKS', (address) => {
    expect(ssrfViolation(address, strict)).toContain('not a public address');
    expect(ssrfViolation(address, development)).toBeNull();
  });

  it.each(neverAllowed)('always rejects %s', (address) => {
    expect(ssrfViolation(address, strict)).not.toBeNull();
    expect(ssrfViolation(address, development)).not.toBeNull();
  });

  it('names a text that is no address', () => {
    expect(ssrfViolation('hooks.example', strict)).toBe('hooks.example is no address');
  });
});

describe('literalAddress', () => {
  it('returns an address without brackets, and null for a host name', () => {
    expect(literalAddress('1.1.1.1')).toBe('1.1.1.1');
    expect(literalAddress('[::1]')).toBe('::1');
    for (const name of ['example.com', 'a[::1]', '[::1]a']) expect(literalAddress(name)).toBeNull();
  });
});

describe('isLocalName', () => {
  it('compares only the last label of the name', () => {
    for (const name of ['localhost', 'LocalHost.', 'a.localhost']) {
      expect(isLocalName(name)).toBe(true);
    }
    for (const name of ['localhost.example.com', 'mylocalhost', 'localhosts']) {
      expect(isLocalName(name)).toBe(false);
    }
  });
});

describe('urlViolation', () => {
  it.each(['https://example.com/hook', 'https://1.1.1.1:8443/', 'https://[2606:4700::1111]/'])(
    'accepts %s',
    (url) => expect(urlViolation(url, strict)).toBeNull(),
  );

  it.each([
    'http://example.com/',
    'ftp://example.com/',
    'example.com',
    'https://user:pass@example.com/',
    'https://user@example.com/',
    'https://:pass@example.com/',
    'https://localhost/',
    'https://LOCALHOST./',
    'https://a.localhost/',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.1/',
    'https://017700000001/',
    'https://0177.0.0.1/',
    'https://①②⑦.0.0.1/',
    'https://0/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[0:0:0:0:0:ffff:7f00:1]/',
    'https://[::]/',
    'https://169.254.169.254/latest/meta-data/',
    'https://2852039166/',
    'https://0xa9fea9fe/',
    'https://[::ffff:a9fe:a9fe]/',
  ])('rejects %s', (url) => expect(urlViolation(url, strict)).not.toBeNull());

  it.each([
    ['example.com', 'it is not a URL'],
    ['http://example.com/', 'it must start with https:// (WEBHOOKS_ALLOW_HTTP allows http://)'],
    ['https://user@example.com/', 'it must not carry a user or password'],
    ['https://hooks.localhost/', 'hooks.localhost is this machine'],
    ['https://127.1/', '127.0.0.1 is not a public address (loopback)'],
    ['https://192.0.2.1/', '192.0.2.1 is not a public address (reserved)'],
    ['https://168.63.129.16/', '168.63.129.16 is a metadata service'],
  ])('returns for %s: %s', (url, reason) => expect(urlViolation(url, strict)).toBe(reason));

  it('rejects other protocols even when http is allowed', () => {
    expect(urlViolation('ftp://example.com/', development)).not.toBeNull();
  });

  it.each(['http://169.254.169.254/', 'http://2852039166/', 'http://[fe80::1]/', 'http://0/'])(
    'rejects %s even in development',
    (url) => expect(urlViolation(url, development)).not.toBeNull(),
  );

  it.each(['http://localhost:3000/', 'http://127.0.0.1:3000/', 'http://2130706433/'])(
    'accepts %s in development',
    (url) => expect(urlViolation(url, development)).toBeNull(),
  );
});
