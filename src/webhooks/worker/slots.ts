/** A number of places that several share; those who wait get one in the order of their coming. */
export class Slots {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  /** Takes up to a number of places, at least one: waits until one is free. */
  async take(wanted: number): Promise<number> {
    if (this.free === 0 || this.waiting.length > 0) {
      // Whoever gives a place back hands it over, so that nobody can slip in between.
      await new Promise<void>((resolve) => this.waiting.push(resolve));
      return 1;
    }
    const taken = Math.min(wanted, this.free);
    this.free -= taken;
    return taken;
  }

  /** Gives places back. */
  giveBack(count: number): void {
    for (let given = 0; given < count; given++) {
      const next = this.waiting.shift();
      if (next === undefined) this.free += 1;
      else next();
    }
  }
}
