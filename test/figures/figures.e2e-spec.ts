import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Types } from 'mongoose';
import { Clock } from '../../src/core/configuration/clock.js';
import { CallFiguresRecorder } from '../../src/operator/usage/call-figures-recorder.js';
import { CallFiguresService } from '../../src/operator/usage/call-figures.service.js';
import { FigureRollUps } from '../../src/operator/usage/figure-roll-ups.js';
import { startConsole, type TestConsole } from '../console/console-client.js';
import { metricLines } from '../operations/metrics-text.js';
import { addTenant, type Tenant } from '../support/builders.js';
import { randomDatabaseUri } from '../support/test-service.js';

const hour = 3_600_000;
const databaseUri = randomDatabaseUri();

let service: TestConsole;
let second: TestConsole;
let tenant: Tenant;
beforeAll(async () => {
  service = await startConsole({}, databaseUri);
  second = await startConsole({}, databaseUri);
  tenant = await addTenant(service.db);
});
afterAll(async () => {
  await second.stop();
  await service.stop();
});

const stored = () => service.db.collection('callFigures');
const figuresOf = ({ service: { app } }: TestConsole) => ({
  recorder: app.get(CallFiguresRecorder),
  figures: app.get(CallFiguresService),
  rollUps: app.get(FigureRollUps, { strict: false }),
});
const setTime = (time: number) => {
  for (const { service: one } of [service, second]) {
    jest.spyOn(one.app.get(Clock), 'now').mockImplementation(() => new Date(time));
  }
};
const get = (from: TestConsole, path: string) => from.api('get', path).set('api-key', tenant.key);

describe('figures', () => {
  it('are the same numbers as the metrics, of all processes together', async () => {
    for (const from of [service, second]) {
      await get(from, '/compounds').expect(200);
      await get(from, '/leads/unknown').expect(404);
      await from.api('get', '/compounds').expect(401);
    }
    await Promise.all([service, second].map((one) => figuresOf(one).recorder.store()));
    const day = await figuresOf(second).figures.lastDay();
    const texts = await Promise.all(
      [service, second].map(async ({ operations }) => {
        const response = await fetch(`${operations}/metrics`);
        return metricLines(await response.text());
      }),
    );
    const counted = texts
      .flat()
      .filter(({ name }) => name === 'integration_api_http_request_duration_seconds_count');
    const sum = (lines: typeof counted) => lines.reduce((total, { value }) => total + value, 0);
    expect(day.total).toMatchObject({ calls: 6, errors: 4, failures: 0 });
    expect(day.total.calls).toBe(sum(counted));
    for (const { route, calls, errors } of day.routes) {
      const of = counted.filter(({ labels }) => `${labels['method']} ${labels['route']}` === route);
      expect({ route, calls, errors }).toEqual({
        route,
        calls: sum(of),
        errors: sum(of.filter(({ labels }) => Number(labels['status']) >= 400)),
      });
    }
    const keys = new Map(day.keys.map(({ keyId, calls }) => [keyId, calls]));
    expect([...keys.values()].toSorted()).toEqual([2, 4]);
    const ofKeys = texts.flat().filter(({ name }) => name === 'integration_api_key_calls_total');
    expect(ofKeys.map(({ labels, value }) => [labels['key'], value])).toEqual(
      [service, second].map(() => [[...keys.keys()].find((id) => id !== null), 2]),
    );
    expect(day.minutes.reduce((total, { calls }) => total + calls, 0)).toBe(6);
  });

  it('have one document of a minute and a process, however often they are stored', async () => {
    const before = await stored().countDocuments();
    for (let turn = 0; turn < 3; turn++) {
      await get(service, '/compounds').expect(200);
      await figuresOf(service).recorder.store();
    }
    // The minute may have passed meanwhile.
    expect(await stored().countDocuments()).toBeLessThanOrEqual(before + 1);
    expect(await stored().countDocuments({ span: 'hour' })).toBe(0);
  });

  it('that the database did not take are stored later', async () => {
    const { recorder, figures } = figuresOf(service);
    const { calls } = (await figures.lastDay()).total;
    await get(service, '/compounds').expect(200);
    const failing = jest
      .spyOn(recorder['figures'], 'saveMinute')
      .mockRejectedValue(new Error('no primary'));
    await expect(recorder.store()).rejects.toThrow('no primary');
    failing.mockRestore();
    expect((await figures.lastDay()).total.calls).toBe(calls);
    await recorder.store();
    expect((await figures.lastDay()).total.calls).toBe(calls + 1);
  });
});

describe('hours', () => {
  it('are made of all minutes of all processes, once, and again when one comes late', async () => {
    const { rollUps, figures } = figuresOf(service);
    const { total } = await figures.lastDay();
    const now = Date.now();
    setTime(now + hour + 120_000);
    await Promise.all([rollUps.run(), figuresOf(second).rollUps.run()]);
    await rollUps.run();
    const hours = await stored().find({ span: 'hour' }).sort({ at: 1 }).toArray();
    expect(hours.length).toBeLessThanOrEqual(2);
    const calls = (documents: readonly { [name: string]: unknown }[]) =>
      documents
        .flatMap(({ total: counts }) => (counts as { statuses: number[] }).statuses)
        .reduce((sum, count) => sum + count, 0);
    expect(calls(hours)).toBe(total.calls);
    expect(await stored().countDocuments({ span: 'minute', rolledUp: false })).toBe(0);
    expect((await figures.lastDay()).total).toEqual(total);
    // As a process stores it that had lost the database.
    const minute = await stored().findOne({ span: 'minute' });
    const { _id, ...late } = minute ?? {};
    await stored().insertOne({ ...late, instance: 'late', rolledUp: false });
    await rollUps.run();
    const remade = await stored().find({ span: 'hour' }).toArray();
    expect(remade).toHaveLength(hours.length);
    expect(calls(remade)).toBe(total.calls + calls(minute === null ? [] : [minute]));
    expect((await figures.lastDay()).total.calls).toBe(calls(remade));
  });

  it('hold what has come of the current hour; no call is counted twice or missing meanwhile', async () => {
    const { recorder, rollUps, figures } = figuresOf(service);
    const day = 24 * hour;
    const begin = Date.now() - (Date.now() % day) + 3 * day;
    const call = async (minutes: number) => {
      setTime(begin + minutes * 60_000 + 30_000);
      await get(service, '/compounds').expect(200);
      await recorder.store();
      await rollUps.run();
      const { total, keys, routes, minutes: chart } = await figures.lastDay();
      const habits = await figures.habits();
      const keyId = keys[0]?.keyId ?? '';
      const ofKey = await figures.habits(new Types.ObjectId(keyId));
      const charted = chart.reduce((sum, { calls }) => sum + calls, 0);
      const current = await stored().findOne({ span: 'hour', at: new Date(begin) });
      expect(ofKey).toEqual(new Map([[keyId, habits.get(keyId)]]));
      return {
        calls: [total, ...keys, ...routes].map(({ calls }) => calls),
        charted,
        habit: habits.get(keyId)?.calls,
        held: current === null ? 0 : (Number(current['until']) - begin) / 60_000,
      };
    };
    const counted = (calls: number, held: number) => ({
      calls: [calls, calls, calls],
      charted: calls,
      habit: calls,
      held,
    });
    expect(await call(3)).toEqual(counted(1, 0));
    expect(await call(12)).toEqual(counted(2, 10));
    expect(await call(13)).toEqual(counted(3, 10));
    expect(await call(61)).toEqual(counted(4, 60));
    // The slower of two processes does not put less in the place of more.
    setTime(begin + 18 * 60_000);
    await stored().updateMany({ span: 'minute' }, { $set: { rolledUp: false } });
    await rollUps.run();
    expect(await call(62)).toEqual(counted(5, 60));
  });

  it('and minutes have the time at which they go', async () => {
    const kept = (span: string) =>
      stored()
        .find({ span })
        .map(({ at, expiresAt }) => (Number(expiresAt) - Number(at)) / (24 * hour))
        .toArray();
    expect(new Set(await kept('minute'))).toEqual(new Set([30]));
    expect(new Set(await kept('hour'))).toEqual(new Set([400]));
    expect(new Set(await kept('week'))).toEqual(new Set([36]));
    const indexes = await stored().indexes();
    expect(indexes).toContainEqual(
      expect.objectContaining({ key: { expiresAt: 1 }, expireAfterSeconds: 0 }),
    );
  });
});

it('a process that ends stores what it has counted', async () => {
  const third = await startConsole({}, databaseUri);
  const before = await stored().countDocuments({ span: 'minute' });
  await get(third, '/compounds').expect(200);
  await third.stop();
  expect(await stored().countDocuments({ span: 'minute' })).toBe(before + 1);
});
