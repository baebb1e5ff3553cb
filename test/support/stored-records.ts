import { createHash } from 'node:crypto';
import type { Db, ObjectId } from 'mongodb';

/**
 * Returns the stored records as text in which placeholders replace random ids. The contents alone determine
 * the order of records and placeholders.
 */
export async function storedRecords(
  db: Db,
  organizationId: ObjectId,
  collections: readonly string[],
  outcomes: readonly unknown[],
): Promise<string> {
  const lists = await Promise.all(
    collections.map((name) =>
      db
        .collection(name)
        .find({ organizationId, ...withoutFailures })
        .toArray(),
    ),
  );
  const texts = lists.flatMap((documents, list) =>
    documents.map((each) => `${list} ${withoutGeneratedValues(sorted(each))}`),
  );
  const outcomeTexts = outcomes.map(withoutGeneratedValues);
  const roles = rolesOf([...texts, ...outcomeTexts.map((text, index) => `${index} ${text}`)]);
  const names = new Map<string, string>();
  const nameOf = (id: string) => {
    const role = roles.get(id) ?? id;
    if (!names.has(role)) names.set(role, `id ${names.size}`);
    return names.get(role) ?? '';
  };
  const ordered = texts
    .map((text) => ({ text, contents: text.replaceAll(anyId, ''), named: withRoles(text, roles) }))
    .toSorted((a, b) => compareTexts(a.contents, b.contents) || compareTexts(a.named, b.named));
  return [...ordered.map(({ text }) => text), ...outcomeTexts].join('\n').replaceAll(anyId, nameOf);
}

/**
 * Returns a role for each id, to distinguish equal documents: a hash of the documents that contain
 * the id and, in later rounds, of the roles of their other ids. Ids with the same role are interchangeable.
 */
function rolesOf(texts: readonly string[]): Map<string, string> {
  const ids = new Set(texts.flatMap((text) => text.match(anyId) ?? []));
  let roles = new Map<string, string>();
  for (let distance = 0; distance < 3; distance += 1) {
    const next = [...ids].map((id): [string, string] => {
      const around = texts
        .filter((text) => text.includes(id))
        .map((text) => withRoles(text.replaceAll(id, 'this'), roles));
      return [id, createHash('sha1').update(around.toSorted().join()).digest('base64')];
    });
    roles = new Map(next);
  }
  return roles;
}

function withRoles(text: string, roles: ReadonlyMap<string, string>): string {
  return text.replaceAll(anyId, (id) => roles.get(id) ?? '');
}

function compareTexts(one: string, other: string): number {
  return Number(one > other) - Number(one < other);
}

/** Failed callbacks are left out, because a failing database may or may not have logged them. */
const withoutFailures = { 'outcome.status': { $not: { $gte: 500 } } };
/** Background work, locks and the time of storing change these fields, so they may differ. */
const varyingFields = new Set(['phoneKeysAt', 'availabilityLock', 'statusLock', 'storedAt']);
const anyId = /\b[0-9a-f]{24}\b/g;

function withoutGeneratedValues(value: unknown): string {
  const isGenerated = (key: string) => /At$|^leadId$/.test(key);
  return JSON.stringify(value, (key, each: unknown) => {
    if (varyingFields.has(key)) return undefined;
    const isTime = typeof each === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(each);
    return isTime || (isGenerated(key) && each !== null) ? 'generated' : each;
  });
}

/** Sorts the fields, because the database chooses the order of fields that an update adds. */
function sorted(document: object): object {
  return Object.fromEntries(Object.entries(document).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
