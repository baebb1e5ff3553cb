/**
 * How fast one endpoint is sent to by one process: one delivery at a time at first and after a
 * failure, twice as many after each success, up to a limit.
 */
export class Pace {
  private width = 1;
  private running = 0;
  private hasFailed = false;
  private moreDue = false;
  private onChange: (() => void) | undefined;

  constructor(private readonly widest: number) {}

  /** How many more deliveries may be started. */
  get room(): number {
    return Math.max(0, this.width - this.running);
  }

  /** Whether the last finished try failed. */
  get isFailing(): boolean {
    return this.hasFailed;
  }

  /** Whether something may be due that is not running yet. */
  get isMoreDue(): boolean {
    return this.moreDue;
  }

  /** Whether something is running, or may be started. */
  get isBusy(): boolean {
    return this.running > 0 || this.moreDue;
  }

  /** Something may be due. */
  moreIsDue(): void {
    this.moreDue = true;
    this.changed();
  }

  /** What is due is being looked for; {@link moreIsDue} meanwhile counts again. */
  lookingForMore(): void {
    this.moreDue = false;
  }

  /** A delivery was started. */
  begin(): void {
    this.running += 1;
  }

  /** A delivery ended. */
  end(isSuccess: boolean): void {
    this.running -= 1;
    this.hasFailed = !isSuccess;
    this.width = isSuccess ? Math.min(this.widest, this.width * 2) : 1;
    this.changed();
  }

  /** Waits for the next change. */
  async change(): Promise<void> {
    await new Promise<void>((resolve) => (this.onChange = resolve));
  }

  /** Waits until nothing is running. */
  async idle(): Promise<void> {
    while (this.running > 0) await this.change();
  }

  /** Lets whoever waits look again. */
  changed(): void {
    this.onChange?.();
  }
}
