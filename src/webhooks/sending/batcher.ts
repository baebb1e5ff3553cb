/**
 * Processes items together that are added while earlier ones are being processed, or before a time
 * that they can wait.
 */
export class Batcher<Item, Result> {
  private waiting: Item[] = [];
  /** Ends the time for which the next batch waits for more items. */
  private begin: () => void = () => {};
  private nextBatch: Promise<readonly Result[]> | undefined;
  private lastBatch: Promise<unknown> = Promise.resolve();

  /** @param process gives the results of items in the order of the items; it may give fewer */
  constructor(private readonly process: (items: readonly Item[]) => Promise<readonly Result[]>) {}

  /**
   * The result of an item; undefined when its batch gave none for it. Rejects when the batch fails.
   *
   * @param patienceMs how long the item can wait for others, unless one comes that cannot
   */
  async add(item: Item, patienceMs = 0): Promise<Result | undefined> {
    const index = this.waiting.push(item) - 1;
    this.nextBatch ??= this.startBatch(patienceMs);
    if (patienceMs === 0) this.begin();
    return (await this.nextBatch)[index];
  }

  private startBatch(patienceMs: number): Promise<readonly Result[]> {
    const ready = patienceMs === 0 ? this.lastBatch : this.gathered(patienceMs);
    const batch = ready.then(() => this.processWaiting());
    this.lastBatch = batch.catch(() => undefined);
    return batch;
  }

  private async gathered(patienceMs: number): Promise<void> {
    const { lastBatch } = this;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, patienceMs);
      this.begin = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    await lastBatch;
  }

  private async processWaiting(): Promise<readonly Result[]> {
    const items = this.waiting;
    this.waiting = [];
    this.nextBatch = undefined;
    return this.process(items);
  }
}
