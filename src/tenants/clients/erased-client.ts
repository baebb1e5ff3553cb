import { objectOf } from '../../core/values/plain-object.js';

/** What is left of a client as events show it when its values are removed (rule LEAD-15). */
export function erasedClientData(data: object): object {
  const { name: _name, email: _email, ...rest } = objectOf(data);
  return { ...rest, phoneNumbers: [] };
}

/** What is left of the changes of a client as events tell them. */
export function erasedClientChanges(changes: readonly object[]): object[] {
  return changes.map((change) => {
    const { field } = objectOf(change);
    return field === 'phoneNumbers' ? { field, added: [] } : { field, from: null, to: null };
  });
}
