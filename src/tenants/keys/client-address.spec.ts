import { expect, it } from '@jest/globals';
import { clientAt } from './client-address.js';

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::', '2001:db8:1:3::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['', ''],
  ['unknown', 'unknown'],
  ['x'.repeat(1_000), 'x'.repeat(64)],
])('clientAt(%j) returns %j', (address, client) => {
  expect(clientAt(address)).toBe(client);
});
