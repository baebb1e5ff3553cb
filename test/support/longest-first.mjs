import Sequencer from '@jest/test-sequencer';

/** These files start processes or send the most requests. */
const longest =
  /\/test\/(processes|clients|races|operations|demo|events|values|polling)\/|\/(plans|structure|catalogue|groups|request-cost|linearizability|schemathesis|failing-database|killed-instance|shutdown|lost-primary|soak)\./;

/** Starts the longest files first when no earlier run has recorded their durations. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    // oxlint-disable-next-line unicorn/no-array-sort -- This is `Sequencer.sort`, not `Array.prototype.sort`.
    const sorted = super.sort(tests);
    if (sorted.some(({ duration }) => duration !== undefined)) return sorted;
    const [long, short] = [true, false].map((isLong) =>
      sorted.filter(({ path }) => longest.test(path) === isLong),
    );
    return [...long, ...short];
  }
}
