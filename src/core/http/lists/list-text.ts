/** Batches of what a list shows. */
export type Batches<T> = AsyncIterable<readonly T[]>;

const beginning = '{"data":[';

/**
 * The parts of the text of `{ "data": [...] }`, with further fields behind the list.
 *
 * @param rest the further fields, given how many items the list has
 */
export async function* listText(
  batches: Batches<object>,
  rest: (count: number) => object = () => ({}),
): AsyncGenerator<Buffer, void> {
  let count = 0;
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    yield Buffer.from((count === 0 ? beginning : ',') + inside(batch));
    count += batch.length;
  }
  const fields = inside(rest(count));
  const end = fields === '' ? ']}' : `],${fields}}`;
  yield Buffer.from(count === 0 ? beginning + end : end);
}

/** The parts of a list with one item a line. */
export async function* linesText(batches: Batches<object>): AsyncGenerator<Buffer, void> {
  for await (const batch of batches) {
    yield Buffer.from(batch.map((item) => `${JSON.stringify(item)}\n`).join(''));
  }
}

/** The JSON of a list or an object without the brackets around it. */
function inside(value: object): string {
  return JSON.stringify(value).slice(1, -1);
}
