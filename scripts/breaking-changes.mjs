import { apiCompare } from 'api-smart-diff';

/**
 * What of a later document breaks clients of an earlier one: what the comparison finds in requests and
 * responses, and operations that generated clients know by other names.
 *
 * @param {object} before the earlier OpenAPI document
 * @param {object} after the later one
 * @returns {string[]} one line for each change
 */
export function breakingChanges(before, after) {
  const sent = schemasOfRequests(after);
  const { diffs } = apiCompare(before, after);
  const found = diffs
    .filter(({ type }) => type === 'breaking')
    // Without its place the comparison takes a schema for that of a request; a response may gain fields.
    .filter(({ action, path: [first, , name] }) => {
      return first !== 'components' || action !== 'add' || sent.has(name);
    })
    .map(({ action, path }) => `${path.join(' ')} (${action})`);
  const ids = operationIds(after);
  const missing = operationIds(before).filter((id) => !ids.includes(id));
  return [...found, ...missing.map((id) => `the operation ${id} (remove)`)];
}

/** The names of the schemas that bodies of requests are made of. */
function schemasOfRequests({ paths, components }) {
  const names = new Set();
  const collect = (part) => {
    for (const [, name] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (names.has(name)) continue;
      names.add(name);
      collect(components.schemas[name]);
    }
  };
  for (const { requestBody = {} } of operationsOf(paths)) collect(requestBody);
  return names;
}

function operationIds({ paths }) {
  return operationsOf(paths).map(({ operationId }) => operationId);
}

function operationsOf(paths) {
  return Object.values(paths).flatMap((item) => Object.values(item));
}
