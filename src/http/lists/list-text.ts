/** Batches of what a list shows. */
export type Batches<T> = AsyncIterable<readonly T[]>;

/**
 * The parts of `{ "data": [...] }`, with further fields behind the list.
 *
 * @param rest the further fields, given how many items the list has
 */
export async function* listText<T>(
  batches: Batches<T>,
  rest: (count: number) => object = () => ({}),
): AsyncGenerator<string, void> {
  let count = 0;
  let before = '{"data":[';
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    yield before + batch.map((item) => JSON.stringify(item)).join(',');
    before = ',';
    count += batch.length;
  }
  const fields = JSON.stringify(rest(count)).slice(1, -1);
  yield `${count === 0 ? before : ''}]${fields === '' ? '' : ','}${fields}}`;
}

/** The parts of a list with one JSON object a line. */
export async function* linesText<T>(batches: Batches<T>): AsyncGenerator<string, void> {
  for await (const batch of batches) {
    yield batch.map((item) => `${JSON.stringify(item)}\n`).join('');
  }
}
