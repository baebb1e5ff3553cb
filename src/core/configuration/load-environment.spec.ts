import { expect, it } from '@jest/globals';
import { variableNames } from './variables.js';
import { misspelledVariables } from './load-environment.js';

it.each([
  ['WEBHOOKS_CONCURENCY', 'WEBHOOKS_CONCURRENCY'],
  ['DRIAN_MS', 'DRAIN_MS'],
  ['OPS_PROT', 'OPS_PORT'],
  ['MONGO_URI', 'MONGODB_URI'],
  ['port', 'PORT'],
  ['DATABASE_DEADLINE', 'DATABASE_DEADLINE_MS'],
  ['DATABASE_DEADLINE_SECONDS', 'DATABASE_DEADLINE_MS'],
  ['ENCRYPTION_KEYS_FILE', 'ENCRYPTION_KEYS'],
  ['WEBHOOKS_ALLOW_LOOPBACK', 'WEBHOOKS_ALLOW_HTTP'],
  ['RATE_LIMIT_RSP', 'RATE_LIMIT_RPS'],
  ['RATE_LIMIT', 'RATE_LIMIT_RPS'],
  ['AUTH_FAILURE_RPM', 'AUTH_FAILURE_RPS'],
  ['EVENTS_RETENTION', 'EVENTS_RETENTION_DAYS'],
])('misspelledVariables returns a warning for %s that names %s', (name, meant) => {
  expect(misspelledVariables(['PATH', name])).toEqual([
    `Ignored the unknown variable ${name}. Did you mean ${meant}?`,
  ]);
});

it('misspelledVariables returns nothing for known variables and those of other programs', () => {
  const others = [
    'PATH',
    'HOME',
    'HOSTNAME',
    'NODE_OPTIONS',
    'DATABASE_URL',
    'MONGODB_PORT',
    'LOG',
  ];
  expect(misspelledVariables([...variableNames, ...others])).toEqual([]);
});
