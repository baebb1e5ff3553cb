import type { ModuleRef } from '@nestjs/core';
import { ApiKeyAuthenticator } from '../../../tenants/keys/api-key-authenticator.js';
import { AuthenticationFailures } from '../../../tenants/keys/authentication-failures.js';
import { KeptParts } from '../../../catalogue/responses/kept-parts.js';
import {
  KeptResponsesService,
  type KeptResponsesStats,
} from '../../../catalogue/responses/kept-responses.service.js';
import { RequestRates } from '../../../core/http/rate-limit/request-rates.js';
import type { Reading } from './reading.js';

/** What the process keeps in memory, as metrics; each has a bound (rule CONF-1). */
export function memoryReadings(modules: ModuleRef): Reading[] {
  const find = { strict: false } as const;
  const keys = modules.get(ApiKeyAuthenticator, find);
  const failures = modules.get(AuthenticationFailures, find);
  const rates = modules.get(RequestRates, find);
  return [
    ...responseReadings(modules.get(KeptResponsesService, find)),
    partReading(modules.get(KeptParts, find)),
    {
      name: 'remembered_entries',
      help: 'API keys, unknown keys, limited keys and failing clients that are remembered; 10,000 of each at most.',
      type: 'gauge',
      read: () => [
        { labels: { kind: 'key' }, value: keys.stats().known },
        { labels: { kind: 'unknown key' }, value: keys.stats().unknown },
        { labels: { kind: 'limited key' }, value: rates.stats().keys },
        { labels: { kind: 'failing client' }, value: failures.stats().clients },
      ],
    },
  ];
}

function responseReadings(responses: KeptResponsesService): Reading[] {
  const reading = (
    name: string,
    type: 'counter' | 'gauge',
    figure: keyof KeptResponsesStats,
    help: string,
  ): Reading => ({
    name: `response_cache_${name}`,
    help,
    type,
    read: () => [{ value: responses.stats()[figure] }],
  });
  return [
    reading('hits_total', 'counter', 'hits', 'Responses that were repeated.'),
    reading('misses_total', 'counter', 'misses', 'Responses that had to be made.'),
    reading('evictions_total', 'counter', 'evictions', 'Responses that were dropped for room.'),
    reading('entries', 'gauge', 'entries', 'Responses that are kept.'),
    reading('bytes', 'gauge', 'bytes', 'How much is kept, of RESPONSE_CACHE_BYTES.'),
  ];
}

function partReading(parts: KeptParts): Reading {
  return {
    name: 'kept_parts_bytes',
    help: 'Counts and documents that responses share, of at most 16 MiB.',
    type: 'gauge',
    read: () => [{ value: parts.stats().bytes }],
  };
}
