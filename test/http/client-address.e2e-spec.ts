import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { fastify } from 'fastify';
import { Clock } from '../../src/core/configuration/clock.js';
import { readEnvironment } from '../../src/core/configuration/load-environment.js';
import {
  readForwardedAddresses,
  trustProxyOption,
} from '../../src/core/http/requests/client-address.js';
import { send, startConsole, type TestConsole } from '../console/console-client.js';
import { addKey } from '../support/builders.js';
import { range } from '../support/counting.js';
import { rounds } from '../support/rounds.js';
import type { TenantApi } from '../support/tenant-api.js';
import { type ForwardedAddress, forwardedAddress } from './forwarded-addresses.js';

const authenticationBurst = 3;
/** The console allows this many attempts from one address (rule OPS-30). */
const loginBurst = 5;

let service: TestConsole;
let tenant: TenantApi;

beforeAll(async () => {
  service = await startConsole({
    TRUST_PROXY: '1',
    AUTH_FAILURE_RPS: '1',
    AUTH_FAILURE_BURST: String(authenticationBurst),
  });
  tenant = await service.addTenant();
});
afterAll(() => service.stop());

/** Generates addresses from the farthest to the nearest, of which a trusted proxy wrote the last. */
const chain = fc.array(forwardedAddress, { minLength: 1, maxLength: 4 });
const spelled = (addresses: readonly ForwardedAddress[]) =>
  addresses.map(({ spelling }) => spelling).join();
const plain = (addresses: readonly ForwardedAddress[]) =>
  addresses.map(({ address }) => address).join(', ');
/** Returns one spelling for each attempt: the port differs for each connection. */
const spellings = (count: number) =>
  fc
    .tuple(forwardedAddress, fc.array(fc.integer({ min: 1, max: 65_535 }), { minLength: count }))
    .map(([{ address, spelling }, ports]) => {
      const host = address.includes(':') ? `[${address}]` : address;
      return { address, spellings: [spelling, ...ports.map((port) => `${host}:${port}`)] };
    });

it.each(['false', 'true', '1', '2', '127.0.0.1,10.0.0.0/8,2000::/3', '127.0.0.1,::/1,0.0.0.0/1'])(
  'the addresses of proxies with TRUST_PROXY=%s are those without ports, brackets and zones',
  async (TRUST_PROXY) => {
    const trustProxy = trustProxyOption(readEnvironment({ TRUST_PROXY }));
    const [server, reference] = [fastify({ trustProxy }), fastify({ trustProxy })];
    readForwardedAddresses(server);
    for (const each of [server, reference]) each.get('/', ({ ip, ips }) => ({ ip, ips }));
    const read = async (from: typeof server, forwarded: string) =>
      (await from.inject({ url: '/', headers: { 'x-forwarded-for': forwarded } })).json<unknown>();
    await fc.assert(
      fc.asyncProperty(chain, async (addresses) => {
        const expected = await read(reference, plain(addresses));
        expect(await read(server, spelled(addresses))).toEqual(expected);
        expect(await read(server, plain(addresses))).toEqual(expected);
      }),
      { numRuns: rounds(300, 2_000) },
    );
  },
);

it.each([
  ['unknown', 'unknown'],
  ['a.example:443', 'a.example:443'],
  ['203.0.113.7:', '203.0.113.7:'],
  ['203.0.113.7:443:443', '203.0.113.7:443:443'],
  ['[, 203.0.113.7:1', '['],
  [' , 203.0.113.7:1, ', '203.0.113.7'],
  [' , ', '127.0.0.1'],
])('the address in X-Forwarded-For: %s is %s', async (forwarded, address) => {
  const server = fastify({ trustProxy: true });
  readForwardedAddresses(server);
  server.get('/', ({ ip }) => ip);
  const { body } = await server.inject({ url: '/', headers: { 'x-forwarded-for': forwarded } });
  expect(body).toBe(address);
});

it('a key accepts its address, and refuses others, with a port as without', async () => {
  await fc.assert(
    fc.asyncProperty(chain, forwardedAddress, async (addresses, other) => {
      const address = addresses.at(-1)?.address ?? '';
      fc.pre(address !== other.address);
      const permissions = { allowExternal: true, addresses: [address] };
      const key = await tenant.add(addKey, { permissions });
      const from = (forwarded: string) =>
        tenant.with(key).get('/leads/none').set('x-forwarded-for', forwarded);
      await from(spelled(addresses)).expect(404);
      await from(spelled([...addresses, other])).expect(403);
    }),
    { numRuns: rounds(100, 500) },
  );
});

it('failed authentications are limited for an address whose port changes', async () => {
  await fc.assert(
    fc.asyncProperty(spellings(authenticationBurst), async ({ spellings: all }) => {
      setTimeLater();
      const statuses: number[] = [];
      for (const forwarded of all.slice(0, authenticationBurst + 1)) {
        const sent = tenant.with('unknown').get('/leads/none').set('x-forwarded-for', forwarded);
        statuses.push((await sent).status);
      }
      expect(statuses).toEqual([...range(authenticationBurst).map(() => 401), 429]);
    }),
    { numRuns: rounds(30, 100) },
  );
});

it('console logins are limited, and logged, for an address whose port changes', async () => {
  await fc.assert(
    fc.asyncProperty(spellings(loginBurst), async ({ address, spellings: all }) => {
      setTimeLater();
      const statuses: number[] = [];
      for (const forwarded of all.slice(0, loginBurst + 1)) {
        const response = await send(`${service.operations}/console/login`, {
          method: 'POST',
          body: new URLSearchParams({ password: 'wrong' }),
          headers: { 'x-forwarded-for': forwarded },
        });
        statuses.push(response.status);
      }
      expect(statuses).toEqual([...range(loginBurst).map(() => 401), 429]);
      expect(service.logged()).toContain(`Refused a console login from ${address}: too many.`);
    }),
    { numRuns: rounds(30, 100) },
  );
});

let time = Date.now();

/** By then all limits allow their bursts again. */
function setTimeLater(): void {
  time += 3_600_000;
  jest.spyOn(service.service.app.get(Clock), 'now').mockImplementation(() => new Date(time));
}
