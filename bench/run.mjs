// Measures the service on this machine: `npm run bench -- [suite] [options]`, see docs/performance.md.
// With `--against <commit>` each step is measured with that version too, by turns.
import { parseArgs } from 'node:util';
import { buildOf, thisBuild } from './programs/builds.mjs';
import { Programs } from './programs/programs.mjs';

const suites = ['requests', 'growth', 'feed', 'webhooks', 'memory', 'console', 'keys'];
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    against: { type: 'string' },
    only: { type: 'string' },
    seconds: { type: 'string', default: '2.5' },
    rounds: { type: 'string', default: '3' },
    clients: { type: 'string', default: '32' },
    sizes: { type: 'string' },
    count: { type: 'string', default: '10000' },
    profile: { type: 'boolean', default: false },
  },
});
const [suite = 'requests'] = positionals;
if (!suites.includes(suite)) {
  process.stderr.write(`There is no suite ${suite}; there are ${suites.join(', ')}.\n`);
  process.exit(2);
}
const { run } = await import(`./suites/${suite}.mjs`);
const builds = [thisBuild];
if (options.against !== undefined) builds.push(await buildOf(options.against));
const programs = await Programs.inNewFolder();
try {
  await run({ programs, builds, options });
} finally {
  await programs.stop();
}
