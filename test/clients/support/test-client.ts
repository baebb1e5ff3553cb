import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import {
  createIntegrationApi,
  type IntegrationApiOptions,
} from '../../../clients/typescript/src/index.js';
import { type Receiver, type Respond, startReceiver } from '../../support/receiver.js';

/** Starts a receiver in place of the service. The time of its clients passes only in their pauses. */
export function useReceiver() {
  const state = { receiver: undefined as unknown as Receiver, now: 0, pauses: [] as number[] };
  const runtime = {
    now: () => state.now,
    random: () => 0,
    sleep: (milliseconds: number) => {
      state.pauses.push(milliseconds);
      state.now += milliseconds;
      return Promise.resolve();
    },
  };
  beforeAll(async () => {
    state.receiver = await startReceiver();
  });
  afterAll(() => state.receiver.stop());
  beforeEach(() => {
    state.receiver.received.length = 0;
    state.now = Date.parse('2030-01-01T00:00:00Z');
    state.pauses = [];
  });
  const client = (options: Partial<IntegrationApiOptions> = {}) =>
    createIntegrationApi({
      baseUrl: new URL(state.receiver.url).origin,
      apiKey: 'secret',
      runtime,
      ...options,
    });
  return Object.assign(state, { runtime, client });
}

export function respondingWith(status: number, headers: object = {}, body: unknown = {}): Respond {
  const type = { 'content-type': 'application/json; charset=utf-8' };
  return (_, response) =>
    response.writeHead(status, { ...type, ...headers }).end(JSON.stringify(body));
}
