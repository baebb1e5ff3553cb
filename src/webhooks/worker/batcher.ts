/** Processes items together that are added while earlier ones are being processed. */
export class Batcher<Item, Result> {
  private waiting: Item[] = [];
  private nextBatch: Promise<readonly Result[]> | undefined;
  private lastBatch: Promise<unknown> = Promise.resolve();

  /** @param process gives the results of items in the order of the items; it may give fewer */
  constructor(private readonly process: (items: readonly Item[]) => Promise<readonly Result[]>) {}

  /** The result of an item; undefined when its batch gave none for it. Rejects when the batch fails. */
  async add(item: Item): Promise<Result | undefined> {
    const index = this.waiting.push(item) - 1;
    this.nextBatch ??= this.lastBatch.then(() => this.processWaiting());
    this.lastBatch = this.nextBatch.catch(() => undefined);
    return (await this.nextBatch)[index];
  }

  private async processWaiting(): Promise<readonly Result[]> {
    const items = this.waiting;
    this.waiting = [];
    this.nextBatch = undefined;
    return this.process(items);
  }
}
