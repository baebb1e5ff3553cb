import { expect, it } from '@jest/globals';
import { endpointState, type EndpointState } from './endpoint-state.js';

const now = new Date('2030-01-31T12:00:00Z');
const [past, future] = [new Date(now.getTime() - 1), new Date(now.getTime() + 1)];
const unused = {
  isEnabled: true,
  fault: null,
  pausedUntil: null,
  failingSince: null,
  lastFailure: null,
  lastSuccessAt: null,
};
const lastFailure = { statusCode: 500 };
const failing = { failingSince: past, lastFailure };

it.each<[EndpointState, Partial<Parameters<typeof endpointState>[0]>]>([
  ['unused', {}],
  ['works', { lastSuccessAt: past }],
  ['works', { lastFailure }],
  ['failing', failing],
  ['failing', { ...failing, pausedUntil: now }],
  ['paused', { ...failing, pausedUntil: future }],
  ['faulty', { ...failing, pausedUntil: future, fault: 'no secret' }],
  ['disabled', { ...failing, pausedUntil: future, fault: 'no secret', isEnabled: false }],
])('endpointState returns %s for %j', (state, fields) => {
  expect(endpointState({ ...unused, ...fields }, now)).toBe(state);
});
