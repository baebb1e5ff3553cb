/** Most entries of one transaction, and about how many characters of JSON they have together. */
const batchSize = 100;
const batchCharacters = 4_194_304;

/** The entries of a file in the parts that are stored in one transaction each. */
export function* importBatches<T>(entries: readonly T[]): Generator<T[], void> {
  let batch: T[] = [];
  let characters = 0;
  for (const entry of entries) {
    const length = JSON.stringify(entry).length;
    const isFull = batch.length === batchSize || characters + length > batchCharacters;
    if (isFull && batch.length > 0) {
      yield batch;
      batch = [];
      characters = 0;
    }
    batch.push(entry);
    characters += length;
  }
  if (batch.length > 0) yield batch;
}
