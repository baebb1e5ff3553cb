import { Pool } from 'undici';
import { addTenant, mayReadEvents } from '../../support/builders.js';
import { range } from '../../support/counting.js';
import { kill, operationsUrl, startProcess } from '../../support/service-process.js';
import { basePath } from '../../support/shared-service.js';
import { randomDatabaseUri } from '../../support/test-service.js';
import { Recording } from './recording.js';
import type { Situation } from './situation.js';
import { startObserved, Timeline } from './timeline.js';

const variables = { OPS_PORT: '0', ROLE: 'api' };
const start = (extra: Record<string, string> = {}) =>
  startProcess({ ...variables, MONGODB_URI: randomDatabaseUri(), ...extra });

/** One instance is killed, then the other, and later service discovery forgets both. */
export async function killedInstances(): Promise<Situation> {
  const [one, other] = await Promise.all([start(), start()]);
  const targets = { a: operationsUrl(one), b: operationsUrl(other) };
  const recording = new Recording();
  const scrape = (count: number) => recording.scrapeOften(count, targets);
  await scrape(3);
  await kill(one);
  await scrape(5);
  await kill(other);
  await scrape(5);
  await recording.scrapeOften(5, { a: null, b: null });
  return {
    name: 'one instance is killed, five minutes later the other',
    recording,
    since: 2,
    fires: [
      {
        alert: 'InstanceDown',
        labels: { instance: 'a' },
        summary: /^No response on the OPS_PORT of a$/,
      },
      {
        alert: 'InstanceDown',
        labels: { instance: 'b' },
        since: 7,
        summary: /^No response on the OPS_PORT of b$/,
      },
      { alert: 'AllInstancesGone', since: 7, summary: /^No instance responds on its OPS_PORT$/ },
    ],
  };
}

/** Service discovery forgets all instances at once, as after the removal of a deployment. */
export async function removedInstances(): Promise<Situation> {
  const instance = await start();
  const recording = new Recording();
  await recording.scrapeOften(3, { a: operationsUrl(instance) });
  await kill(instance);
  await recording.scrapeOften(5, { a: null });
  return {
    name: 'all instances are removed from service discovery',
    recording,
    since: 2,
    fires: [{ alert: 'AllInstancesGone', summary: /^No instance responds on its OPS_PORT$/ }],
  };
}

/** Nobody reads standard output, so its buffer overflows. */
export async function stalledLog(): Promise<Situation> {
  const service = await start({ LOG_LEVEL: 'info' });
  const targets = { a: operationsUrl(service) };
  const recording = new Recording();
  await recording.scrapeOften(3, targets);
  service.process.stdout.pause();
  const pool = new Pool(service.url, { connections: 8 });
  const request = async () => {
    const { body } = await pool.request({ method: 'GET', path: `/${basePath}/healthz` });
    await body.dump();
  };
  for (let sent = 0; sent < 10_000; sent += 500) await Promise.all(range(500).map(request));
  await pool.close();
  await recording.scrapeOften(2, targets);
  recording.hold(20, 'integration_api_log_lines_dropped_total');
  await kill(service);
  return {
    name: 'nobody reads the log',
    recording,
    since: 2,
    fires: [
      { alert: 'LogLinesLost', labels: { instance: 'a' }, summary: /^a dropped \d+ log lines$/ },
    ],
  };
}

/** Something blocks the event loop for most of the time. */
export async function blockedEventLoop(): Promise<Situation> {
  const service = await startObserved(randomDatabaseUri());
  const timeline = new Timeline([service]);
  await timeline.pass(3);
  await timeline.pass(3, async () => {
    for (let times = 0; times < 5; times++) {
      const blockedUntil = performance.now() + 700;
      while (performance.now() < blockedUntil);
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  timeline.recording.hold(10, 'nodejs_eventloop_lag_p99_seconds');
  await service.stop();
  return {
    name: 'the event loop is blocked',
    recording: timeline.recording,
    since: 2,
    fires: [
      {
        alert: 'EventLoopDelayed',
        labels: { instance: 'a' },
        summary: /^The event loop of a is blocked for \d+(?:\.\d+)?m?s/,
      },
    ],
  };
}

/** Two instances respond to calls, some of which are wrong. */
export async function healthyService(): Promise<Situation> {
  const databaseUri = randomDatabaseUri();
  const [one, other] = [
    await startObserved(databaseUri, { ROLE: 'all' }),
    await startObserved(databaseUri),
  ];
  const timeline = new Timeline([one, other]);
  const { key } = await addTenant(one.db, { key: mayReadEvents });
  await timeline.pass(60, async () => {
    for (const { api } of [one, other]) {
      await api('post', '/leads').set('api-key', key).send({ name: 'Mona' }).expect(201);
      await api('get', '/compounds').set('api-key', key).expect(200);
      await api('get', '/events?wait=1').set('api-key', key).expect(200);
      await api('get', '/leads/unknown').set('api-key', key).expect(404);
      await api('get', '/compounds').set('api-key', 'wrong').expect(401);
    }
  });
  await Promise.all([one.stop(), other.stop()]);
  return { name: 'a healthy service', recording: timeline.recording, since: 0, fires: [] };
}
