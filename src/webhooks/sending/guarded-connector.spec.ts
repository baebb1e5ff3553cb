import { createServer } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Agent, request } from 'undici';
import { guardedConnector } from './guarded-connector.js';

const development = { allowHttp: true, allowPrivateNetworks: true };
const strict = { allowHttp: true, allowPrivateNetworks: false };

const server = createServer((_request, response) => response.end('reached'));
let port: number;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => void server.close());

/** Requests a host through a connector whose lookups have these results, one after the other. */
async function reach(host: string, policy: typeof strict, lookups: readonly string[][] = []) {
  const asked: string[] = [];
  const resolve = (name: string) => {
    asked.push(name);
    return Promise.resolve(lookups[Math.min(asked.length, lookups.length) - 1] ?? []);
  };
  const agent = new Agent({ connect: guardedConnector(policy, resolve, 1_000) });
  try {
    const { body } = await request(`http://${host}:${port}/`, { dispatcher: agent });
    return { text: await body.text(), asked };
  } catch (error) {
    return { text: (error as Error).message, asked };
  } finally {
    await agent.destroy();
  }
}

describe('a guarded connection', () => {
  it('goes to the address of a name, where that is allowed', async () => {
    const reached = { text: 'reached', asked: ['hooks.example'] };
    expect(await reach('hooks.example', development, [['127.0.0.1']])).toEqual(reached);
    expect(await reach('127.0.0.1', development)).toEqual({ text: 'reached', asked: [] });
  });

  it.each([
    ['127.0.0.1'],
    ['169.254.169.254'],
    ['::ffff:127.0.0.1'],
    ['fe80::1'],
    ['1.1.1.1', '10.0.0.1'],
  ])('is forbidden for a name that resolves inwards, to %s', async (...addresses) => {
    const { text } = await reach('hooks.example', strict, [addresses]);
    expect(text).toMatch(/^hooks\.example: \S+ is not a public address/);
  });

  it.each(['127.0.0.1', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', '[::1]'])(
    'is forbidden for the address %s, which needs no lookup',
    async (host) => {
      expect(await reach(host, strict)).toEqual({
        text: expect.stringContaining('is not a public address'),
        asked: [],
      });
    },
  );

  it('uses the lookup that was checked, and does no second one', async () => {
    // Documentation addresses are forbidden as well, so an allowed one replaces the public one.
    const first = await reach('rebind.example', development, [['127.0.0.1'], ['169.254.169.254']]);
    expect(first).toEqual({ text: 'reached', asked: ['rebind.example'] });
    const second = await reach('rebind.example', development, [['169.254.169.254'], ['127.0.0.1']]);
    expect(second.text).toMatch(/169\.254\.169\.254 is not a public address/);
    expect(second.asked).toEqual(['rebind.example']);
  });

  it('gives each address of a name a third of the time', async () => {
    const connect = jest.spyOn(net, 'connect');
    const { text } = await reach('hooks.example', development, [['127.0.0.1', '::1']]);
    expect(text).toBe('reached');
    const [options] = connect.mock.calls[0] ?? [];
    expect(options).toMatchObject({ autoSelectFamily: true, autoSelectFamilyAttemptTimeout: 333 });
    connect.mockRestore();
  });

  it('fails for a name without addresses', async () => {
    expect((await reach('none.example', development, [[]])).text).toBe(
      'none.example has no address',
    );
  });
});
