import { hourMs } from '../../../core/values/time.js';
import type { ApiKeyDocument } from '../../../tenants/keys/api-key.schema.js';
import { ApiKeysService } from '../../../tenants/keys/api-keys.service.js';
import { RequestLogService } from '../../requests/request-log.service.js';
import { UsageStatsService } from '../../usage/usage-stats.service.js';
import { loggedRequestFields } from '../../views/partner.js';
import type { CommandContext } from '../command-line/context.js';
import type { ActionsOf } from '../command-line/declaration.js';
import { item, list } from '../command-line/result.js';
import { type keyCommands, operationsOf, rateLimitOf } from './key-commands.js';
import {
  issuedColumns,
  keyView,
  limitedColumns,
  listedKeyColumns,
  newKeyView,
  restrictedColumns,
  revokedColumns,
  rotatedColumns,
  rotatedKeyView,
} from './key-view.js';

export const actions: ActionsOf<typeof keyCommands> = {
  issue: async (context, { org, name, addresses, signed, expires, ...values }) => {
    const { _id } = await context.organization(org);
    const issuing = {
      action: 'issue',
      subject: 'organization',
      to: { _id },
      details: name,
    } as const;
    const issued = await context.logged(issuing, () =>
      context.get(ApiKeysService).issue({
        organizationId: _id,
        name,
        operations: operationsOf(values) ?? [],
        addresses: addresses?.from ?? null,
        isSigned: signed,
        rateLimit: rateLimitOf(values),
        expiresAt: expires ?? null,
      }),
    );
    return item(newKeyView(issued), issuedColumns);
  },

  list: async (context, { org }) => {
    const { _id } = await context.organization(org);
    const keys = context.get(ApiKeysService);
    const documents = await keys.list(_id);
    const usage = await context.get(UsageStatsService).baselines();
    const views = documents.map((key) => ({
      ...keyView(key, keys),
      /** How often it used each operation in the last four weeks. */
      used: usage.get(key._id.toHexString())?.used ?? {},
    }));
    return list(views, listedKeyColumns);
  },

  update: async (context, { key: idOrPrefix, addresses, ...values }) => {
    const { keys, key } = await findKey(context, idOrPrefix);
    const permitted = operationsOf(values);
    const changes = {
      ...(permitted && { operations: [...permitted] }),
      ...(addresses && { addresses: addresses.from && [...addresses.from] }),
    };
    await context.logged({ action: 'update', subject: 'key', to: key }, () =>
      keys.restrict(key, changes),
    );
    const permissions = { ...key.permissions, ...changes };
    return item(keyView({ ...key, permissions }, keys), restrictedColumns);
  },

  limit: async (context, { key: idOrPrefix, ...values }) => {
    const { keys, key } = await findKey(context, idOrPrefix);
    const rateLimit = rateLimitOf(values);
    await context.logged({ action: 'limit', subject: 'key', to: key }, () =>
      keys.setRateLimit(key, rateLimit),
    );
    return item(keyView({ ...key, rateLimit }, keys), limitedColumns);
  },

  revoke: async (context, { key: idOrPrefix }) => {
    const { keys, key } = await findKey(context, idOrPrefix);
    const revokedAt = await context.logged({ action: 'revoke', subject: 'key', to: key }, () =>
      keys.revoke(key),
    );
    return item(keyView({ ...key, revokedAt }, keys), revokedColumns);
  },

  rotate: async (context, { key: idOrPrefix, overlapHours }) => {
    const { keys, key } = await findKey(context, idOrPrefix);
    const rotated = await context.logged({ action: 'rotate', subject: 'key', to: key }, () =>
      keys.rotate(key, overlapHours * hourMs),
    );
    return item(rotatedKeyView(key, rotated), rotatedColumns);
  },

  requests: async (context, { key: idOrPrefix, limit }) => {
    const { key } = await findKey(context, idOrPrefix);
    const ids = {
      organizationId: key.organizationId.toHexString(),
      keyId: key._id.toHexString(),
    };
    const { items } = await context.get(RequestLogService).listOfKey(ids, { limit });
    return list(items, loggedRequestFields);
  },
};

async function findKey(
  context: CommandContext,
  idOrPrefix: string,
): Promise<{ readonly keys: ApiKeysService; readonly key: ApiKeyDocument }> {
  const keys = context.get(ApiKeysService);
  const [key, ...others] = await keys.find(idOrPrefix);
  if (key === undefined) throw new Error(`There is no key with id or prefix ${idOrPrefix}.`);
  if (others.length === 0) return { keys, key };
  const ids = [key, ...others].map(({ _id }) => _id.toHexString()).join(', ');
  throw new Error(`Several keys share the prefix ${idOrPrefix}, give the id of one: ${ids}.`);
}
