import type { CountryCode } from 'libphonenumber-js';
import type { Organization } from '../organizations/organization.js';

/**
 * Increase it when phones or emails are read differently, so that the background job reads stored leads again. Instances of
 * two versions run side by side: each replaces only what an older rule has made. Stored rules compare as text.
 */
const version = 3;
const ofThisVersion = `[${version},`;
const ofNextVersion = `[${version + 1},`;

/** Names the rule by which phones were read: version and country, and the phones where they may change. */
export function phoneRule(country: CountryCode, phones: readonly string[] = []): string {
  return JSON.stringify([version, country, ...phones]);
}

export function isOfOlderRule(rule: unknown): boolean {
  return typeof rule === 'string' && rule < ofThisVersion;
}

/** Returns filters for documents without a rule and with a rule of an older version. */
export function olderRules(field: string): object[] {
  return [{ [field]: null }, { [field]: { $lt: ofThisVersion } }];
}

/** Returns a filter for each country of the organizations; it matches documents with another country. */
export function otherCountries(field: string, organizations: readonly Organization[]): object[] {
  const byCountry = Map.groupBy(organizations, ({ phoneCountry }) => phoneCountry);
  return [...byCountry].map(([country, some]) => {
    const start = phoneRule(country).slice(0, -1);
    const before = { [field]: { $gte: ofThisVersion, $lt: start } };
    const after = { [field]: { $gt: `${start}\uffff`, $lt: ofNextVersion } };
    return { organizationId: { $in: some.map(({ _id }) => _id) }, $or: [before, after] };
  });
}
