import { writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';
import { mebibyte } from '../../values/numbers.js';

const fileDescriptor = 1;
/** Most that waits for the reader, in bytes. */
const waitingLimit = mebibyte;
const retryMs = 10;
/** How long the end of the process waits for a reader that takes nothing, and for one that is slow. */
const exitPatienceMs = 500;
const exitLimitMs = 2_000;
const newline = 0x0a;

/**
 * The log on standard output. Lines are written once a turn of the event loop: a write for each costs
 * more than the line. A reader that stalls holds up nothing: up to 1 MiB waits for it, further lines are
 * dropped and counted.
 */
class StandardOutput implements DestinationStream {
  /** Those of this turn. */
  private lines = '';
  private waiting: Buffer[] = [];
  private waitingBytes = 0;
  private dropped = 0;
  private reported = 0;
  private isOpen = false;
  private report: (dropped: number) => void = () => undefined;

  /** How many lines have been dropped. */
  get droppedLines(): number {
    return this.dropped;
  }

  /** @param report told how many lines were dropped, once the reader has caught up */
  onceCaughtUp(report: (dropped: number) => void): void {
    this.report = report;
  }

  write(line: string): void {
    if (!this.isOpen) this.open();
    if (this.lines === '') setImmediate(() => this.endTurn());
    this.lines += line;
  }

  private open(): void {
    this.isOpen = true;
    // A pipe does not block a writer any more once the stream has taken it over.
    void process.stdout;
    process.once('exit', () => this.close());
  }

  private endTurn(): void {
    const written = Buffer.from(this.lines);
    this.lines = '';
    const isStalled = this.waiting.length > 0;
    this.add(isStalled ? this.fitting(written) : written);
    if (!isStalled && !this.flush()) this.retryLater();
  }

  /** The lines for which there is room; the others are dropped. */
  private fitting(written: Buffer): Buffer {
    const room = waitingLimit - this.waitingBytes;
    if (written.length <= room) return written;
    const end = room <= 0 ? 0 : written.lastIndexOf(newline, room - 1) + 1;
    this.dropped += countLines(written.subarray(end));
    return written.subarray(0, end);
  }

  private add(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.waiting.push(bytes);
    this.waitingBytes += bytes.length;
  }

  /** Writes what the reader takes. @returns whether nothing is left */
  private flush(): boolean {
    try {
      for (let first = this.waiting[0]; first !== undefined; first = this.waiting[0]) {
        const count = writeSync(fileDescriptor, first);
        this.waitingBytes -= count;
        if (count === first.length) this.waiting.shift();
        else this.waiting[0] = first.subarray(count);
      }
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EAGAIN') return false;
      // Nobody reads any more, or a disk is full.
      this.drop();
      return true;
    }
  }

  private retryLater(): void {
    setTimeout(() => {
      if (!this.flush()) return this.retryLater();
      if (this.dropped === this.reported) return;
      const count = this.dropped - this.reported;
      this.reported = this.dropped;
      this.report(count);
    }, retryMs).unref();
  }

  private drop(): void {
    for (const bytes of this.waiting) this.dropped += countLines(bytes);
    this.waiting = [];
    this.waitingBytes = 0;
  }

  /** Writes the rest before the process ends, as far as it is read. */
  private close(): void {
    this.add(Buffer.from(this.lines));
    this.lines = '';
    const sleeper = new Int32Array(new SharedArrayBuffer(4));
    const start = performance.now();
    let [left, lastProgress] = [this.waitingBytes, start];
    while (!this.flush()) {
      const now = performance.now();
      if (this.waitingBytes < left) [left, lastProgress] = [this.waitingBytes, now];
      if (now - lastProgress > exitPatienceMs || now - start > exitLimitMs) return;
      Atomics.wait(sleeper, 0, 0, 1);
    }
  }
}

/** That of the process; nothing is done to it before its first line. */
export const standardOutput = new StandardOutput();

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1)) count++;
  return count;
}
