import {
  createIntegrationApi,
  type IntegrationApiOptions,
  type IntegrationApi,
} from '../../clients/typescript/src/index.js';

/** Creates the TypeScript client of `clients/typescript` with a key. Unlike a partner's client, it never retries. */
export function apiClient(
  baseUrl: string,
  apiKey: string,
  options: Partial<IntegrationApiOptions> = {},
): IntegrationApi {
  return createIntegrationApi({
    baseUrl,
    apiKey,
    retries: { attempts: 1, totalTimeoutMs: 300_000, attemptTimeoutMs: 300_000 },
    ...options,
  });
}
