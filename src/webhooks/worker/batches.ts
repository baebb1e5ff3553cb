interface Waiting<T> {
  readonly item: T;
  readonly done: () => void;
  readonly fail: (error: unknown) => void;
}

/** Stores items together that come while earlier ones are being stored. */
export class Batches<T> {
  private waiting: Waiting<T>[] = [];
  private isStoring = false;

  constructor(private readonly store: (items: readonly T[]) => Promise<void>) {}

  /** Adds an item and waits until it is stored. */
  add(item: T): Promise<void> {
    return new Promise((done, fail) => {
      this.waiting.push({ item, done, fail });
      if (!this.isStoring) void this.storeAll();
    });
  }

  private async storeAll(): Promise<void> {
    this.isStoring = true;
    while (this.waiting.length > 0) {
      const batch = this.waiting;
      this.waiting = [];
      try {
        await this.store(batch.map(({ item }) => item));
        for (const { done } of batch) done();
      } catch (error) {
        for (const { fail } of batch) fail(error);
      }
    }
    this.isStoring = false;
  }
}
