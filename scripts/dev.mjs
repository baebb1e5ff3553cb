// Starts the service, and starts it anew whenever a source is saved. The embedded database belongs to this
// process, so that it goes on: the service finds it running however often it starts, and so do others.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../build/database/connection/open-database.js';
import { loadEnvironment } from '../build/run-service.js';

const root = join(import.meta.dirname, '..');
const nest = join(root, 'node_modules/@nestjs/cli/bin/nest.js');
const service = join(import.meta.dirname, 'dev-service.mjs');
/** Files that are saved together are compiled one after the other. */
const settleMs = 50;
/** When a service that was asked to end is ended. */
const endMs = 3_000;

let running;
/** Has loaded the packages already, which takes longer than all the rest of a start. */
let prepared;
let changed;
let isStarting = false;
let isStale = false;
/** Set once; in an object, because it changes while others wait. */
const ending = { done: undefined };

const database = await openDatabase(loadEnvironment());
const compiler = spawn(process.execPath, [nest, 'build', '--watch', '--watchAssets'], {
  cwd: root,
  stdio: ['ignore', 'pipe', 'inherit'],
});
compiler.on('exit', end);
process.on('SIGINT', end);
process.on('SIGTERM', end);
prepared = prepare();
let isCompiled = false;
compiler.stdout.setEncoding('utf8').on('data', (text) => {
  process.stdout.write(text);
  if (isCompiled || !text.includes('Watching for file changes')) return;
  isCompiled = true;
  watch(join(root, 'build'), { recursive: true }, () => {
    clearTimeout(changed);
    changed = setTimeout(() => void startAnew(), settleMs);
  });
  void startAnew();
});

function prepare() {
  // Nobody's requests have to be answered before the next start.
  return fork(service, { env: { DRAIN_MS: '0', ...process.env } });
}

async function startAnew() {
  isStale = true;
  if (isStarting) return;
  isStarting = true;
  while (isStale && ending.done === undefined) {
    isStale = false;
    await stop(running);
    running = prepared;
    const outcome = Promise.race([once(running, 'message'), once(running, 'exit')]);
    running.send('start');
    await outcome;
    prepared = prepare();
  }
  isStarting = false;
}

async function stop(child) {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  const timer = setTimeout(() => child.kill('SIGKILL'), endMs);
  child.kill();
  await exited;
  clearTimeout(timer);
}

function end() {
  ending.done ??= (async () => {
    compiler.kill();
    await Promise.all([stop(running), stop(prepared)]);
    await database.stop();
    process.exit();
  })();
}
