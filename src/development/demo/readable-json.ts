const indent = '  ';

/**
 * Breaks JSON into lines of a width, entry by entry; short entries share a line, and texts are never broken.
 *
 * @param taken the used width of the first line
 */
export function readableJson(value: unknown, width: number, taken = 0): string[] {
  const flat = flatJson(value);
  const fits = taken + flat.length <= width;
  if (fits || typeof value !== 'object' || value === null) return [flat];
  const inside = width - indent.length;
  const entries = Array.isArray(value)
    ? value.map((item) => readableJson(item, inside - 1))
    : Object.entries(value).map(([key, child]) => withLabel(labelOf(key), child, inside - 1));
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return [open, ...pack(entries, inside).map((line) => `${indent}${line}`), close];
}

function flatJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(flatJson).join(', ')}]`;
  const entries = Object.entries(value).map(([key, child]) => labelOf(key) + flatJson(child));
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}

function labelOf(key: string): string {
  return `${JSON.stringify(key)}: `;
}

function withLabel(label: string, value: unknown, width: number): string[] {
  const [first = '', ...rest] = readableJson(value, width, label.length);
  return [`${label}${first}`, ...rest];
}

/** Joins short entries; an entry of several lines stands alone. */
function pack(entries: readonly string[][], width: number): string[] {
  const lines: string[] = [];
  let canGoOn = false;
  for (const [index, entry] of entries.entries()) {
    const block = index < entries.length - 1 ? withComma(entry) : entry;
    const joined = `${lines.at(-1)} ${block[0]}`;
    const isSingle = block.length === 1;
    if (canGoOn && isSingle && joined.length <= width) lines.splice(-1, 1, joined);
    else lines.push(...block);
    canGoOn = isSingle;
  }
  return lines;
}

function withComma(lines: readonly string[]): string[] {
  return [...lines.slice(0, -1), `${lines.at(-1) ?? ''},`];
}
