import Sequencer from '@jest/test-sequencer';

/** Folders whose tests start processes and wait for them. */
const waiting = /\/test\/(processes|races|operations|demo)\//;

/** Where no run has left times yet, the files that wait the longest come first. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    // oxlint-disable-next-line unicorn/no-array-sort -- It is no array that is sorted.
    const sorted = super.sort(tests);
    if (sorted.some(({ duration }) => duration !== undefined)) return sorted;
    const [long, short] = [true, false].map((isLong) =>
      sorted.filter(({ path }) => waiting.test(path) === isLong),
    );
    return [...long, ...short];
  }
}
