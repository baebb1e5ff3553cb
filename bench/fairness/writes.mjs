// Service and reference obey the same rules: a table of requests is posted to both, and what they answer and store is
// compared.
import { idOf } from '../data/names.mjs';
import { sizes } from '../data/sizes.mjs';
import { answerTo, assertSame } from './answers.mjs';
import { callbackPosts } from './callback-posts.mjs';
import { leadPosts } from './lead-posts.mjs';
import { normalizer } from './normalized.mjs';

const organizations = [0, sizes.smallOrganizations];

/** @throws Error that names the first request or collection that differs */
export async function assertSameWrites(service, reference) {
  const since = new Date();
  const [one, other] = [service, reference].map((subject) => ({
    subject,
    normalize: normalizer(since),
  }));
  for (const [name, request] of [...leadPosts, ...callbackPosts]) {
    const answers = [];
    for (const side of [one, other]) answers.push(await postedTo(side, request));
    assertSame(name, ...answers);
  }
  for (const name of Object.keys(stored)) {
    assertSame(
      `What is stored in ${name}`,
      await storedBy(one, name, since),
      await storedBy(other, name, since),
    );
  }
}

async function postedTo({ subject, normalize }, request) {
  const { status, headers, bytes } = await answerTo(subject, { method: 'POST', ...request });
  if (status === 400) return { status };
  const callback = ['reservation', 'cheque'].map((step) => headers.get(`x-callback-${step}`));
  if (status >= 300 || bytes.length === 0) return { status, callback };
  return { status, body: normalize(JSON.parse(bytes)) };
}

/** The fields that are compared by collection; others are the service's own affair. */
const stored = {
  leads: [
    'recordSystemId',
    'leadId',
    'data',
    'additionalData',
    'phoneKeys',
    'compoundsIds',
    'clientId',
  ],
  clients: ['name', 'email', 'phoneNumbers'],
  changeLogs: ['entityId', 'context', 'changes', 'modifier', 'source'],
  outboxEvents: ['type', 'data', 'changes'],
  reservations: ['status', 'approvedAt', 'canceledAt'],
  chequeWallets: ['cheques', 'isDeleted'],
  units: ['_id', 'status'],
  reservationCallbacks: [
    'reservationId',
    'payload',
    'outcome.status',
    'outcome.reservation',
    'outcome.cheque',
  ],
};

async function storedBy({ subject, normalize }, name, since) {
  const filter = {
    organizationId: { $in: organizations.map((number) => idOf('organization', number)) },
    $or: [{ createdAt: { $gte: since } }, { updatedAt: { $gte: since } }],
  };
  const projection = { _id: 0, ...Object.fromEntries(stored[name].map((field) => [field, 1])) };
  const documents = await subject.database.db
    .collection(name)
    .find(filter, { projection })
    .toArray();
  // In which order one transaction stores its documents is no rule, nor the order of fields.
  return documents.map((document) => JSON.stringify(normalize(sorted(document)))).toSorted();
}

function sorted(document) {
  return Object.fromEntries(Object.entries(document).toSorted(([a], [b]) => a.localeCompare(b)));
}
