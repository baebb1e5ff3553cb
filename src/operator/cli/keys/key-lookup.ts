import type { INestApplicationContext } from '@nestjs/common';
import type { ApiKeyDocument } from '../../../tenants/keys/api-key.schema.js';
import type { ApiKeysService } from '../../../tenants/keys/api-keys.service.js';

/** The keys as the operator manages them. */
export async function keysOf(application: INestApplicationContext): Promise<ApiKeysService> {
  const { ApiKeysService } = await import('../../../tenants/keys/api-keys.service.js');
  return application.get(ApiKeysService);
}

/** @throws Error when no key, or more than one, has the id or the prefix */
export async function findSingleKey(
  keys: ApiKeysService,
  idOrPrefix: string,
): Promise<ApiKeyDocument> {
  const [key, ...others] = await keys.find(idOrPrefix);
  if (key === undefined) throw new Error(`There is no key with id or prefix ${idOrPrefix}.`);
  if (others.length === 0) return key;
  const ids = [key, ...others].map(({ _id }) => _id.toHexString()).join(', ');
  throw new Error(`Several keys share the prefix ${idOrPrefix}, give the id of one: ${ids}.`);
}
