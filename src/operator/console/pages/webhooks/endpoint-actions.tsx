import { minuteMs } from '../../../../core/values/time.js';
import { parseObjectId } from '../../../../core/database/documents/tenant-document.js';
import type { OperatorLogEntry } from '../../../operator-log/operator-log.service.js';
import { Alert } from '../../components/components.js';
import { formatNumber } from '../../components/formats.js';
import { confirmation, loggedAction, performOnce } from '../../components/operator-actions.js';
import type { ConsolePage, PageContent, PageRequest } from '../../page.js';

/** Interval of reloads while what was sent again is waiting. */
const progressSeconds = 2;
const maxRunMs = 10 * minuteMs;

export type Endpoint = NonNullable<Awaited<ReturnType<typeof endpointOf>>>;

type Outcome = Pick<PageContent, 'notice' | 'refreshSeconds'>;

export async function endpointOf({ params, services }: PageRequest) {
  const id = parseObjectId(params['id'] ?? '');
  return id && services.endpoints.inspect(id);
}

/** Says what became of an action. The page reloads while deliveries wait. */
export async function outcomeOf(request: PageRequest, endpoint: Endpoint): Promise<Outcome> {
  const entry = await loggedAction(request, endpoint.document.organizationId);
  if (entry === null) return {};
  const { action, result, createdAt } = entry;
  if (result === 'failed') {
    const notice = (
      <Alert severity="bad">The action failed. The log of the service says why.</Alert>
    );
    return { notice };
  }
  // Versions before 1.0.0 stored the verb alone.
  const verb = action.slice(action.indexOf('.') + 1);
  if (verb === 'replay') return progressOf(request, endpoint, entry);
  if (isUnfinished(result, createdAt, request.now)) {
    const notice = <Alert severity="note">It is running.</Alert>;
    return { notice, refreshSeconds: progressSeconds };
  }
  if (verb === 'test') return { notice: await testResult(request, endpoint, entry) };
  const done = verb === 'enable' ? 'enabled' : 'disabled';
  return { notice: <Alert severity="good">The endpoint is {done}.</Alert> };
}

async function progressOf(
  { services, now }: PageRequest,
  { document }: Endpoint,
  { createdAt, details, result, count }: OperatorLogEntry,
): Promise<Outcome> {
  const { delivered, failed, waiting, retrying } = await services.deliveries.progressSince(
    document,
    details === null ? createdAt : new Date(details.replace(/^.* /, '')),
  );
  const isRunning = isUnfinished(result, createdAt, now) || waiting > 0;
  const tried = [
    `${formatNumber(delivered)} delivered`,
    failed > 0 && `${formatNumber(failed)} failed`,
    retrying > 0 && `${formatNumber(retrying)} failed again and will be retried`,
    waiting > 0 && `${formatNumber(waiting)} not tried yet`,
  ].filter((part) => part !== false);
  const notice = (
    <Alert severity={isRunning || retrying > 0 ? 'note' : 'good'}>
      {isRunning ? 'Being sent' : 'Sent'}
      {count !== null && ` (${formatNumber(count)})`}: {tried.join(', ')}.
    </Alert>
  );
  return isRunning ? { notice, refreshSeconds: progressSeconds } : { notice };
}

/** The process of an action that has been running for so long has ended. */
function isUnfinished(result: string, createdAt: Date, now: Date): boolean {
  return result === 'begun' && now.getTime() - createdAt.getTime() < maxRunMs;
}

async function testResult(
  { services }: PageRequest,
  { document }: Endpoint,
  { createdAt: since }: OperatorLogEntry,
) {
  const filter = { endpointId: document._id, type: 'webhook.ping', since };
  const page = await services.deliveries.listPage(document.organizationId, filter, { limit: 1 });
  const [ping] = page.items;
  const isGood = ping?.status === 'delivered';
  return (
    <Alert severity={isGood ? 'good' : 'bad'}>
      The test was {isGood ? 'delivered' : 'not delivered'}:{' '}
      {ping?.lastStatusCode ?? ping?.lastError}.
    </Alert>
  );
}

export const endpointActions: NonNullable<ConsolePage['actions']> = {
  send: async (request) =>
    act(request, 'endpoint.replay', async ({ document }) => {
      const { waiting, failed } = await request.services.deliveries.sendAll(document);
      return waiting + failed;
    }),
  test: async (request) =>
    act(request, 'endpoint.test', async ({ document }) => {
      await request.services.deliveries.ping(document);
      return null;
    }),
  enable: async (request) =>
    act(request, 'endpoint.enable', async ({ document }) => {
      await request.services.endpoints.enable(document._id);
      return null;
    }),
  disable: async (request) => {
    if (request.form['formId'] === undefined) {
      const question =
        'Disable the endpoint? Events that occur until it is enabled are not sent to it.';
      return confirmation(request, { action: 'disable', question });
    }
    return act(request, 'endpoint.disable', async ({ document }) => {
      await request.services.endpoints.disable(document._id);
      return null;
    });
  },
};

async function act(
  request: PageRequest,
  action: 'endpoint.replay' | 'endpoint.test' | 'endpoint.enable' | 'endpoint.disable',
  work: (endpoint: Endpoint) => Promise<number | null>,
) {
  const endpoint = await endpointOf(request);
  if (endpoint === null || endpoint.shown.isRemoved) return null;
  const { organizationId, _id } = endpoint.document;
  if (action !== 'endpoint.enable' && !endpoint.shown.isEnabled) return mustBeEnabled;
  const runStart = request.services.deliveries.sendingSince(endpoint.document) ?? request.now;
  return performOnce(request, {
    organizationId,
    subject: 'endpoint',
    subjectId: _id.toHexString(),
    action,
    // A call joins a run that has not ended, whose deliveries are counted from its start.
    details:
      action === 'endpoint.replay' ? `waiting and failed, run of ${runStart.toISOString()}` : null,
    work: () => work(endpoint),
  });
}

export const mustBeEnabled: PageContent = {
  status: 422,
  body: (
    <Alert severity="bad">
      The endpoint is disabled. Enable it before you send deliveries again.
    </Alert>
  ),
};
