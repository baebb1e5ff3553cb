import { createHash } from 'node:crypto';

const rememberedMs = 3_000;

/** A hook that finds the organization of the `api-key` header; a known key is remembered as long as in the service. */
export function authentication(db) {
  const callers = new Map();
  return async (request, reply) => {
    const key = request.headers['api-key'] ?? '';
    let known = callers.get(key);
    if (known === undefined || known.until < Date.now()) {
      known = { until: Date.now() + rememberedMs, caller: await findCaller(db, key) };
      if (known.caller !== null) callers.set(key, known);
    }
    if (known.caller === null) return reply.code(401).send({ message: 'Unauthorized' });
    const language = request.headers.language?.toLowerCase() === 'ar-eg' ? 'ar-eg' : 'en-us';
    request.caller = { ...known.caller, language };
    return undefined;
  };
}

async function findCaller(db, key) {
  const hash = createHash('sha256').update(key).digest('hex');
  const found = await db.collection('apiKeys').findOne({ hash });
  if (!found?.permissions?.allowExternal || isOver(found.revokedAt) || isOver(found.expiresAt)) {
    return null;
  }
  const filter = { _id: found.organizationId, isDeleted: { $ne: true } };
  const organization = await db.collection('organizations').findOne(filter);
  return (
    organization && {
      organizationId: organization._id,
      apiKeyId: found._id,
      ...settingsOf(organization),
    }
  );
}

function isOver(time) {
  return time instanceof Date && time <= new Date();
}

function settingsOf({ settings }) {
  return {
    allowsDuplicates: settings?.allowConflictLeads ?? false,
    country: settings?.phoneCountry ?? 'EG',
    createsClients: settings?.clients?.createFromLeads ?? true,
    updatesClients: settings?.clients?.updateExisting ?? true,
    matchBy: settings?.clients?.matchBy ?? ['phone', 'email'],
  };
}
