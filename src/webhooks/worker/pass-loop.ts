/** Runs a pass again and again: after a rest that the pass itself decides, or as soon as woken. */
export class PassLoop {
  private isStopped = false;
  private isWoken = false;
  private endRest: (() => void) | undefined;
  private running = Promise.resolve();

  /** @param pass does what there is to do and gives how many milliseconds to rest; never rejects */
  constructor(private readonly pass: () => Promise<number>) {}

  /** Begins. */
  start(): void {
    this.running = this.run();
  }

  /** Makes a pass begin now, or right after the one that is running. */
  wake(): void {
    this.isWoken = true;
    this.endRest?.();
  }

  /** Ends after the pass that is running. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.endRest?.();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.isStopped) {
      this.isWoken = false;
      const rest = await this.pass();
      await this.rest(rest);
    }
  }

  private async rest(milliseconds: number): Promise<void> {
    if (this.isStopped || this.isWoken) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.endRest = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.endRest = undefined;
  }
}
