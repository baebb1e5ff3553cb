import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { openSocket, rawRequest } from '../support/raw-http.js';
import { rounds } from '../support/rounds.js';
import { basePath } from '../support/shared-service.js';
import type { TenantApi } from '../support/tenant-api.js';
import { startTestService, type TestService } from '../support/test-service.js';
import { type GeneratedRequest, requestSequences, writeSplits } from './generated-requests.js';

const variables = { BODY_LIMIT_BYTES: '1024', REQUEST_TIMEOUT_MS: '1000', DRAIN_MS: '30' };
let service: TestService;
let tenant: TenantApi;

beforeAll(async () => {
  service = await startTestService(variables);
  tenant = await service.addTenant();
});
afterAll(() => service.stop());

interface ReceivedResponse {
  readonly status: number;
  readonly id: string | undefined;
  readonly isLast: boolean;
}

interface Exchange {
  readonly requests: readonly GeneratedRequest[];
  readonly splits: readonly number[];
  /** True when the client closes its side after it has sent everything. */
  readonly isHalfClosed: boolean;
}

/** The client must not send anything after these requests. */
const announcingClose: ReadonlySet<string> = new Set(['Connection: close', 'HTTP/1.0']);
/** This request closes the connection of a client that does not close its side. */
const last = rawRequest(`GET /${basePath}/healthz`, ['Connection: close']);

const conversations = (key: string) =>
  fc.record({ requests: requestSequences(key), splits: writeSplits, isHalfClosed: fc.boolean() });

/** The bytes that the client received until the connection was closed, and whether a reset closed it. */
interface Received {
  readonly text: string;
  readonly wasReset: boolean;
}

/** Sends the requests, split into writes. */
async function exchange(
  url: string,
  { requests, splits, isHalfClosed }: Exchange,
): Promise<Received> {
  const socket = openSocket(url);
  let text = '';
  let wasReset = false;
  socket
    .on('error', () => (wasReset = true))
    .on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const kinds = requests.map(({ kind }) => kind).join(', ');
  let isStuck = false;
  socket.setTimeout(10_000, () => {
    isStuck = true;
    socket.destroy();
  });
  const sent = requests.map(({ bytes }) => bytes).join('') + (isHalfClosed ? '' : last);
  const ends = [...splits.map((split) => Math.floor((split / 1_000) * sent.length)), sent.length];
  let at = 0;
  for (const end of ends.toSorted((one, other) => one - other)) {
    if (end > at) socket.write(sent.slice(at, end));
    at = end;
    await (end % 3 === 0 ? nextTurn() : delay(end % 5));
  }
  if (isHalfClosed) socket.end();
  await closed;
  expect({ kinds, isHalfClosed, isStuck, text }).toMatchObject({ isStuck: false });
  return { text, wasReset };
}

/** Returns the received responses, at most one per request. */
function responsesIn(text: string, requests: readonly GeneratedRequest[]): ReceivedResponse[] {
  const responses: ReceivedResponse[] = [];
  for (let rest = text; rest !== '';) {
    const end = rest.indexOf('\r\n\r\n') + 4;
    const head = rest.slice(0, end);
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
    expect(status).not.toBeNaN();
    rest = rest.slice(end);
    if (status < 200) continue;
    const hasBody = requests[responses.length]?.method !== 'HEAD' && ![204, 304].includes(status);
    const length = hasBody ? Number(/^content-length: (\d+)\r$/im.exec(head)?.[1] ?? 0) : 0;
    expect(rest.length).toBeGreaterThanOrEqual(length);
    rest = rest.slice(length);
    const id = /^x-request-id: (.*)\r$/im.exec(head)?.[1];
    responses.push({ status, id, isLast: /^connection: close\r$/im.test(head) });
  }
  return responses;
}

/** Creates the leads that the requests delete. */
async function prepare(conversation: readonly Exchange[]): Promise<void> {
  const ids = conversation.flatMap(({ requests }) =>
    requests.filter(({ effect }) => effect === 'deletes').map(({ id }) => id),
  );
  for (let at = 0; at < ids.length; at += 10) {
    const leads = ids.slice(at, at + 10).map((recordSystemId) => ({ recordSystemId, name: 'x' }));
    await tenant.post('/leads/batch', { leads }).expect(200);
  }
}

/** Reads from the database whether each request was executed. */
async function wereExecuted(requests: readonly GeneratedRequest[]): Promise<boolean[]> {
  const ids = requests.flatMap(({ id = '' }) => id);
  const found = await tenant.stored('leads', { recordSystemId: { $in: ids } });
  const states = new Map(found.map((one) => [one['recordSystemId'], one['isDeleted'] as boolean]));
  return requests.map(({ id, effect }) => {
    if (effect === undefined || id === undefined) return false;
    return effect === 'creates' ? states.get(id) === false : states.get(id) !== false;
  });
}

/** Expects responses to the first requests, in order, and no effect of the other ones. */
async function findViolations({ requests, isHalfClosed }: Exchange, { text, wasReset }: Received) {
  const responses = responsesIn(text, requests);
  const kinds = requests.map(({ kind }) => kind).join(', ');
  const executed = await wereExecuted(requests);
  const found: object[] = [];
  const isEarlyEnd = responses.slice(0, -1).some(({ isLast }) => isLast);
  if (isEarlyEnd || responses.length > requests.length + 1) found.push({ kinds, responses });
  for (const [index, { id, effect, kind }] of requests.entries()) {
    const response = responses[index];
    const isExecuted = executed[index] === true;
    const context = { kinds, index, kind, response, isDone: isExecuted };
    if (response === undefined) {
      // After a disconnect it is unknown whether the running request was executed.
      const isUnknown = isHalfClosed && index === responses.length;
      // A client that keeps writing after it sent `Connection: close` may lose the response to a reset.
      const isDropped = wasReset && announcingClose.has(kind) && index === responses.length;
      if (isExecuted && !isUnknown && !isDropped) found.push({ ...context, wasReset });
      continue;
    }
    if (id !== undefined && response.id !== id) found.push(context);
    const reportsSuccess = [200, 201, 204].includes(response.status);
    if (effect !== undefined && reportsSuccess !== isExecuted) found.push(context);
  }
  return found;
}

describe('pipelined requests on one connection', () => {
  it('get a response each, in order, or have no effect', async () => {
    const sequences = fc.asyncProperty(conversations(tenant.key), async (conversation) => {
      await prepare([conversation]);
      const received = await exchange(service.url, conversation);
      expect(await findViolations(conversation, received)).toEqual([]);
    });
    await fc.assert(sequences, { numRuns: rounds(60, 1_000), endOnFailure: true });
  });

  it('get a response each, in order, or have no effect, during a shutdown', async () => {
    const some = fc.array(conversations(tenant.key), { minLength: 10, maxLength: 20 });
    const pause = fc.integer({ min: 0, max: 60 });
    const shutdowns = fc.asyncProperty(some, pause, async (concurrent, afterMs) => {
      const instance = await startTestService(variables);
      await prepare(concurrent);
      const exchanges = concurrent.map((conversation) => exchange(instance.url, conversation));
      await delay(afterMs);
      expect(await instance.service.shutDown()).toBe(true);
      const received = await Promise.all(exchanges);
      await instance.stop();
      for (const [index, one] of received.entries()) {
        expect(await findViolations(concurrent[index] as Exchange, one)).toEqual([]);
      }
    });
    await fc.assert(shutdowns, { numRuns: rounds(3, 60), endOnFailure: true });
  });
});
