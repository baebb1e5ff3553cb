import { JsonBytes } from '../../values/json-bytes.js';

/** Batches of what a list shows. */
export type Batches<T> = AsyncIterable<readonly T[]>;

/** Writes an item of a list as JSON. */
export type WriteItem = (json: JsonBytes) => void;

const beginning = '{"data":[';

/** The text of `{ "data": [...] }` of items, with further fields behind the list. */
export function wholeListText(items: readonly WriteItem[], rest: object): Buffer {
  const json = new JsonBytes();
  json.ascii(beginning);
  writeAll(json, items, ',');
  writeEnd(json, rest);
  return json.take();
}

/**
 * The parts of such a text.
 *
 * @param rest the further fields, given how many items the list has
 */
export async function* listText(
  batches: Batches<WriteItem>,
  rest: (count: number) => object = () => ({}),
): AsyncGenerator<Buffer, void> {
  const json = new JsonBytes();
  let count = 0;
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    json.ascii(count === 0 ? beginning : ',');
    writeAll(json, batch, ',');
    count += batch.length;
    yield json.take();
  }
  if (count === 0) json.ascii(beginning);
  writeEnd(json, rest(count));
  yield json.take();
}

/** The parts of a list with one item a line. */
export async function* linesText(batches: Batches<WriteItem>): AsyncGenerator<Buffer, void> {
  const json = new JsonBytes();
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    writeAll(json, batch, '\n');
    json.ascii('\n');
    yield json.take();
  }
}

function writeAll(json: JsonBytes, items: readonly WriteItem[], separator: string): void {
  for (const [index, write] of items.entries()) {
    if (index > 0) json.ascii(separator);
    write(json);
  }
}

/** Ends the list, with fields that follow it. */
function writeEnd(json: JsonBytes, fields: object): void {
  const text = JSON.stringify(fields).slice(1, -1);
  json.json(text === '' ? ']}' : `],${text}}`);
}
