import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Programs that a measurement has started, with a folder that is removed with them. */
export class Programs {
  /** In the order of their start, each with `stop()`. */
  #running = [];

  constructor(folder) {
    this.folder = folder;
  }

  static async inNewFolder() {
    const programs = new Programs(await mkdtemp(join(tmpdir(), 'integration-api-bench-')));
    for (const signal of ['SIGINT', 'SIGTERM']) {
      process.once(signal, () => void programs.stop().finally(() => process.exit(1)));
    }
    return programs;
  }

  /** Waits for a start, and stops the program with the others. */
  async add(starting) {
    const program = await starting;
    this.#running.push(program);
    return program;
  }

  async end(...ending) {
    this.#running = this.#running.filter((program) => !ending.includes(program));
    for (const program of ending) await program.stop();
  }

  /** Stops services before their databases. */
  async stop() {
    for (const program of this.#running.splice(0).toReversed()) await program.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}
