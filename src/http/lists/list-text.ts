/** Batches of what a list shows. */
export type Batches<T> = AsyncIterable<readonly T[]>;

/** The text of `{ "data": [...] }` of items that are JSON already, with further fields behind the list. */
export function wholeListText(items: readonly string[], rest: object): string {
  return `{"data":[${items.join(',')}]${fieldsText(rest)}}`;
}

/**
 * The parts of such a text.
 *
 * @param rest the further fields, given how many items the list has
 */
export async function* listText(
  batches: Batches<string>,
  rest: (count: number) => object = () => ({}),
): AsyncGenerator<string, void> {
  let count = 0;
  let before = '{"data":[';
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    yield before + batch.join(',');
    before = ',';
    count += batch.length;
  }
  yield `${count === 0 ? before : ''}]${fieldsText(rest(count))}}`;
}

/** The parts of a list with one item a line. */
export async function* linesText(batches: Batches<string>): AsyncGenerator<string, void> {
  for await (const batch of batches) {
    if (batch.length > 0) yield `${batch.join('\n')}\n`;
  }
}

/** Fields that follow others. */
function fieldsText(fields: object): string {
  const text = JSON.stringify(fields).slice(1, -1);
  return text === '' ? '' : `,${text}`;
}
