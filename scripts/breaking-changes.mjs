import { apiCompare } from 'api-smart-diff';
export function breakingChanges(before, after) {
  const { diffs } = apiCompare(before, after);
  return diffs
    .filter(({ type }) => type === 'breaking')
    .map(
      ({ action, path, before, after }) =>
        `${path.join('/')} ${action} ${JSON.stringify(before)?.slice(0, 80)} -> ${JSON.stringify(after)?.slice(0, 80)}`,
    );
}
