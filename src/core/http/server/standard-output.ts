import { writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';
import { mebibyte } from '../../values/numbers.js';

const fileDescriptor = 1;
const maxWaitingBytes = mebibyte;
const retryMs = 10;
const maxExitMs = 1_000;
const emptyBuffer = Buffer.alloc(0);

/**
 * Writes once per turn of the event loop, because a system call costs more than a line. Buffers 1 MiB for a stalled
 * reader; drops and counts further lines.
 */
class StandardOutput implements DestinationStream {
  droppedLines = 0;
  private reportedLines = 0;
  private lines = '';
  private rest = emptyBuffer;
  private isOpen = false;
  private isStalled = false;
  private report: (dropped: number) => void = () => undefined;

  onDrained(report: (dropped: number) => void): void {
    this.report = report;
  }

  write(line: string): void {
    if (!this.isOpen) this.open();
    const isFull = this.rest.length + this.lines.length + line.length > maxWaitingBytes;
    if (isFull && (this.isStalled || !this.flush())) {
      this.droppedLines += 1;
      return;
    }
    if (this.lines === '') setImmediate(() => this.isStalled || this.writeWaiting());
    this.lines += line;
  }

  private open(): void {
    this.isOpen = true;
    // The stream makes writes to a pipe non-blocking.
    void process.stdout;
    process.once('exit', () => this.close());
  }

  private writeWaiting(): void {
    const wasStalled = this.isStalled;
    this.isStalled = !this.flush();
    if (this.isStalled) {
      setTimeout(() => this.writeWaiting(), retryMs).unref();
    } else if (wasStalled && this.droppedLines > this.reportedLines) {
      this.report(this.droppedLines - this.reportedLines);
      this.reportedLines = this.droppedLines;
    }
  }

  private flush(): boolean {
    try {
      for (;;) {
        if (this.rest.length === 0) {
          this.rest = Buffer.from(this.lines);
          this.lines = '';
        }
        if (this.rest.length === 0) return true;
        this.rest = this.rest.subarray(writeSync(fileDescriptor, this.rest));
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return false;
      // The reader has closed the pipe, or the disk is full.
      this.droppedLines += `${this.rest.toString()}${this.lines}`.split('\n').length - 1;
      this.rest = emptyBuffer;
      this.lines = '';
      return true;
    }
  }

  private close(): void {
    const sleeper = new Int32Array(new SharedArrayBuffer(4));
    const start = performance.now();
    while (!this.flush() && performance.now() - start < maxExitMs) {
      Atomics.wait(sleeper, 0, 0, 1);
    }
  }
}

export const standardOutput = new StandardOutput();
