import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Stops the programs of a measurement and removes their folder. */
export class Programs {
  /** Contains programs in the order of their start, each with `stop()`. */
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

  /** Waits for a start; `stop()` then also stops this program. */
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
