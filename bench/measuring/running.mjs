import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Programs that a measurement has started, in a folder that goes with them. */
export class Running {
  /** The programs, each with `stop()`, databases before what stores in them. */
  programs = [];

  constructor(folder) {
    this.folder = folder;
  }

  static async inNewFolder() {
    const running = new Running(await mkdtemp(join(tmpdir(), 'integration-api-bench-')));
    // A program that is paused would not even notice the signal.
    for (const signal of ['SIGINT', 'SIGTERM']) {
      process.once(signal, () => void running.stop().finally(() => process.exit(1)));
    }
    return running;
  }

  /** Waits for a start, and ends the program with the others. */
  async add(starting) {
    const program = await starting;
    this.programs.push(program);
    return program;
  }

  /** Ends a program before the others. */
  async end(program) {
    this.programs.splice(this.programs.indexOf(program), 1);
    await program.stop();
  }

  /** Ends all, programs before their databases. */
  async stop() {
    for (const one of this.programs.toReversed()) await one.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}
