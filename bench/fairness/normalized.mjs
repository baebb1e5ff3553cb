// What two programs wrote, without what cannot be the same: ids that they made, and times.
const loadedPrefix = '6955f1a0';

/**
 * A function that replaces ids and times; the same id is replaced by the same name, in the order in which ids come up.
 *
 * @param since times before it were loaded and stay
 */
export function normalizer(since) {
  const names = new Map();
  const replaceId = (id) => {
    if (id.startsWith(loadedPrefix)) return id;
    if (!names.has(id)) names.set(id, `id ${names.size + 1}`);
    return names.get(id);
  };
  return (value) => {
    const text = JSON.stringify(value)
      .replaceAll(/\b[0-9a-f]{24}\b/g, replaceId)
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => (new Date(time) < since ? time : 'now'));
    return JSON.parse(text);
  };
}
