import { hourMs } from '../../../core/values/time.js';
import {
  keyRateLimit,
  lostOperations,
  newOperations,
  permittedOperations,
  visibilityOf as storedVisibility,
} from '../../../tenants/keys/api-key-policy.js';
import type { ApiKeyDocument } from '../../../tenants/keys/api-key.schema.js';
import { ApiKeysService, type NewApiKey } from '../../../tenants/keys/api-keys.service.js';
import { OrganizationsRepository } from '../../../tenants/organizations/organizations.repository.js';
import { RequestLogService } from '../../request-log/request-log.service.js';
import { KeyActivityService } from '../../usage/key-activity.service.js';
import { PartnersService } from '../../usage/partners.service.js';
import { keyListFields, keyUsageFields, requestListFields } from '../../views/partner.js';
import { type CommandContext, exactlyOne } from '../command-line/context.js';
import type { CommandActions } from '../command-line/command.js';
import { item, list, type Result, showSecrets } from '../command-line/result.js';
import {
  assertForPagesOnly,
  type keyCommands,
  operationsOf,
  rateLimitOf,
  visibilityOf,
} from './key-commands.js';

export const actions: CommandActions<typeof keyCommands> = {
  issue: async (context, { org, name, addresses, origins, signed = false, expires, ...values }) => {
    const { _id } = await context.organization(org);
    const key = {
      organizationId: _id,
      name,
      operations: operationsOf(values) ?? [],
      addresses: addresses?.from ?? null,
      origins: origins?.from ?? null,
      visibility: visibilityOf(values) ?? 'all',
      isSigned: signed,
      rateLimit: rateLimitOf(values),
      expiresAt: expires ?? null,
    };
    const issue = () => context.get(ApiKeysService).issue(key);
    return showSecrets(newKeyView(await context.audit('key.issue', { _id }, issue, name)));
  },

  list: async (context, { org }) => {
    const organizations =
      org === undefined
        ? await context.get(OrganizationsRepository).listByName()
        : [await context.organization(org)];
    const names = new Map(organizations.map(({ _id, name }) => [_id.toHexString(), name]));
    const keys = context.get(ApiKeysService);
    const documents = await keys.list(organizations.map(({ _id }) => _id));
    const activity = await context
      .get(KeyActivityService)
      .findByIds(documents.map((key) => key._id));
    const views = documents.map((key) => ({
      ...keyView(key, keys),
      usedOperations: activity.get(key._id.toHexString())?.usedOperations ?? [],
    }));
    const named = views.map((view) => ({
      ...view,
      organizationName: names.get(view.organizationId) ?? view.organizationId,
    }));
    return list(named, keyListFields, views);
  },

  update: changeAction(
    'key.update',
    (keys, key, { addresses, origins, ...values }) => {
      const permitted = operationsOf(values);
      const visibility = visibilityOf(values);
      return keys.update(key, {
        ...(permitted && { 'permissions.operations': permitted }),
        ...(visibility && { 'permissions.visibility': visibility }),
        ...(addresses && { 'permissions.addresses': addresses.from }),
        ...(origins && { 'permissions.origins': origins.from }),
      });
    },
    ({ permissions }, { origins, ...values }) => {
      const permitted = operationsOf(values);
      if (permitted === undefined && origins === undefined) return;
      const from = origins === undefined ? permissions?.origins : origins.from;
      assertForPagesOnly(permitted ?? permissions?.operations, from);
    },
  ),

  limit: changeAction('key.limit', (keys, key, values) =>
    keys.update(key, { rateLimit: rateLimitOf(values) }),
  ),

  revoke: changeAction('key.revoke', (keys, key) => keys.revoke(key)),

  rotate: async (context, idOrPrefix, { overlapHours }) => {
    const { keys, key } = await findKey(context, idOrPrefix);
    const rotated = await context.audit('key.rotate', key, () =>
      keys.rotate(key, overlapHours * hourMs),
    );
    const { _id, prefix } = key;
    const old = { _id: _id.toHexString(), prefix, expiresAt: rotated.oldExpiresAt };
    return showSecrets({ ...newKeyView(rotated), old });
  },

  usage: async (context) => {
    const all = { page: 1, pageSize: Number.MAX_SAFE_INTEGER };
    const { items } = await context.get(PartnersService).list(all);
    return list(items, keyUsageFields);
  },

  requests: async (context, idOrPrefix, { code, since, limit }) => {
    const { key } = await findKey(context, idOrPrefix);
    const ids = { organizationId: key.organizationId.toHexString(), keyId: key._id.toHexString() };
    const { items } = await context
      .get(RequestLogService)
      .listOfKey(ids, { code, since }, { limit });
    return list(items, requestListFields);
  },
};

function changeAction<Values>(
  action: 'key.update' | 'key.limit' | 'key.revoke',
  change: (keys: ApiKeysService, key: ApiKeyDocument, values: Values) => Promise<unknown>,
  check: (key: ApiKeyDocument, values: Values) => void = () => undefined,
) {
  return async (context: CommandContext, idOrPrefix: string, values: Values): Promise<Result> => {
    const { keys, key } = await findKey(context, idOrPrefix);
    check(key, values);
    await context.audit(action, key, () => change(keys, key, values));
    const changed = await findKey(context, key._id.toHexString());
    return item(keyView(changed.key, keys));
  };
}

async function findKey(context: CommandContext, idOrPrefix: string) {
  const keys = context.get(ApiKeysService);
  const found = await keys.find(idOrPrefix);
  const next = '`key list --org <id>` lists the keys of an organization';
  return { keys, key: exactlyOne(found, `key with id or prefix ${idOrPrefix}`, next) };
}

function keyView(document: ApiKeyDocument, keys: ApiKeysService) {
  return {
    ...identityOf(document),
    state: keys.stateOf(document),
    /** If false, the key is refused in any state. */
    allowExternal: document.permissions?.allowExternal === true,
    ...restrictionsOf(document),
    /** Operations that earlier versions permitted by `permissions.readEvents`. */
    lostOperations: lostOperations(document),
    /** Operations that a new key for the same purpose would have, too. */
    newOperations: newOperations(document),
    isSigned: (document.secrets ?? []).length > 0,
    /** Null while the service's default applies. */
    rateLimit: keyRateLimit(document),
    createdAt: document.createdAt,
    lastUsedAt: document.lastUsedAt ?? null,
    expiresAt: document.expiresAt ?? null,
    revokedAt: document.revokedAt ?? null,
  };
}

function newKeyView({ key, signingSecret, document }: NewApiKey) {
  const shown = { key, ...(signingSecret && { signingSecret }), ...restrictionsOf(document) };
  return { ...identityOf(document), ...shown, expiresAt: document.expiresAt ?? null };
}

function restrictionsOf(document: ApiKeyDocument) {
  const { operations = null, addresses = null, origins = null } = document.permissions ?? {};
  return {
    operations: permittedOperations(document),
    /** True if nobody chose operations for the key, which may then permit more than intended. */
    isUnrestricted: operations === null,
    addresses,
    origins,
    visibility: storedVisibility(document),
  };
}

function identityOf({ _id, organizationId, name, prefix }: ApiKeyDocument) {
  return { _id: _id.toHexString(), organizationId: organizationId.toHexString(), name, prefix };
}
