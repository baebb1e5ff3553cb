import type { FieldChange } from '../../tenants/change-log/field-changes.js';
import { knownDataKeys } from '../lead-merge.js';

/** The keys of `data` whose names say nothing of a person; any other key may be one's own words. */
const namedFields: ReadonlySet<string> = new Set(knownDataKeys.map((key) => `data.${key}`));

/** What is left of a lead as events and responses show it when its values are removed (rule LEAD-15). */
export function erasedLeadData(data: object): object {
  return { ...data, data: {}, additionalData: {} };
}

/** What is left of the changes of a lead: that there were some, and ids. */
export function erasedLeadChanges(changes: readonly FieldChange[]): FieldChange[] {
  return changes.map((change) => {
    const [, top] = /^(data|additionalData)\./.exec(change.field) ?? [];
    if (top === undefined) return change;
    return { field: namedFields.has(change.field) ? change.field : top, from: null, to: null };
  });
}
