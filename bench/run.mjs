// Measures the service on this machine: `npm run bench -- [suite] [options]`, see docs/performance.md.
// With `--against <commit>` each step is measured with that version too, by turns.
import { parseArgs } from 'node:util';
import { buildOf, thisBuild } from './programs/builds.mjs';
import { Programs } from './programs/programs.mjs';

const suites = ['requests', 'growth', 'feed', 'webhooks', 'memory', 'console', 'keys'];
const usage = `npm run bench -- [${suites.join('|')}] [options]

  --only <names>       measurements of the suite, separated by commas
  --against <commit>   measures another version too, by turns
  --seconds, --rounds  length and number of measurements (2.5, 3)
  --clients, --count   concurrent requests (32), records or requests of a suite (10000)
  --sizes <list>       of the suite growth
  --profile            writes a profile of the processor time
`;
const { options, suite } = parse();
if (options.help) {
  process.stdout.write(usage);
  process.exit(0);
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

function parse() {
  try {
    const { values, positionals } = parseArgs({
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
        help: { type: 'boolean', default: false },
      },
    });
    const [name = 'requests'] = positionals;
    if (!suites.includes(name)) throw new Error(`There is no suite ${name}.`);
    return { options: values, suite: name };
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${usage}`);
    return process.exit(2);
  }
}
