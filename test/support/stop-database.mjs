import { rm } from 'node:fs/promises';

/** Stops the replica set of the run and removes its data. */
export default async function stopDatabase() {
  await globalThis.testMongod.stop();
  await rm(globalThis.testMongod.folder, { recursive: true, force: true });
}
