import { randomUUID } from 'node:crypto';
import { Types } from 'mongoose';
import type { OperatorRequest } from '../../../operator-log/operator-log.service.js';
import {
  type ConsolePage,
  type PageContent,
  type PageRequest,
  type Redirect,
  type Subject,
  useRenderContext,
} from '../page.js';
import { Card, Form, Link, Timestamp } from './components.js';

const refreshSeconds = 2;

const backPattern = /^\/(?:webhooks|leads)(?:\/[\w-]+)+$/;

interface Action extends Subject, Pick<OperatorRequest, 'action' | 'details'> {
  readonly question: string;
  /** @returns the number of changed records; null if there is no such number */
  readonly work: () => Promise<number | null>;
}

/** Logs the disclosure first (rule OPS-31). */
export function withDisclosureLog(read: ConsolePage['read']): ConsolePage['read'] {
  return async (request) => {
    const content = await read(request);
    if (!content?.personal) return null;
    const { address, session, services } = request;
    const entry = {
      formId: randomUUID(),
      action: 'show',
      details: null,
      address,
      session,
    } as const;
    await services.operatorLog.perform({ ...content.personal, ...entry }, () =>
      Promise.resolve(null),
    );
    return { ...content, isShown: true };
  };
}

/** Asks for confirmation, then performs and logs the action once, and returns to the form's page. */
export async function confirmAndPerform(
  request: PageRequest,
  action: Action,
): Promise<PageContent | Redirect> {
  const { form, path, address, session, services, text } = request;
  const { question, work, ...logged } = action;
  const back = backPattern.test(form['back'] ?? '') ? (form['back'] ?? path) : path;
  if (form['formId'] === undefined) {
    const fields = { ...form, back, formId: randomUUID() };
    const body = (
      <Card title={question}>
        <Form
          to={`${path}/${action.action}`}
          label={text('confirm.yes')}
          isPrimary
          fields={fields}
        />
        <p>
          <Link to={back}>{text('confirm.no')}</Link>
        </p>
      </Card>
    );
    return { body };
  }
  const formId = form['formId'] || randomUUID();
  await services.operatorLog.perform({ ...logged, formId, address, session }, work);
  return { redirectTo: `${back}?${new URLSearchParams({ done: formId }).toString()}` };
}

/** Reads the outcome from the log: a link alone cannot claim that something happened. */
export async function actionOutcome(
  { query, text, services }: PageRequest,
  organizationId: Types.ObjectId,
): Promise<Pick<PageContent, 'notice' | 'refreshSeconds'>> {
  const { done: formId } = query;
  const entry = formId ? await services.operatorLog.find(organizationId, formId) : null;
  if (entry === null || (entry.action !== 'replay' && entry.action !== 'enable')) return {};
  const { action, result, count, subject, subjectId, createdAt } = entry;
  const delivery =
    subject === 'delivery' ? await services.deliveries.find(new Types.ObjectId(subjectId)) : null;
  const done = action === 'enable' ? 'done.enabled' : 'done.replayed';
  const outcome = text(result === 'done' ? done : 'done.before', {
    count,
    result: text(`log.result.${result}`),
  });
  const notice = (
    <p class="notice" role="status">
      <Timestamp time={createdAt} /> {outcome}{' '}
      {delivery !== null && (
        <Link to={`/webhooks/deliveries/${subjectId}`}>
          {text('done.now', {
            state: text(`delivery.${delivery.status}`),
            response: delivery.lastStatusCode ?? delivery.lastError,
          })}
        </Link>
      )}
    </p>
  );
  return delivery?.status === 'pending' ? { notice, refreshSeconds } : { notice };
}

/** Works on any page that lists deliveries, and returns there. */
export function ResendDelivery({ deliveryId }: { readonly deliveryId: string }) {
  const { path, text } = useRenderContext();
  return (
    <Form
      to={`/webhooks/deliveries/${deliveryId}/replay`}
      label={text('delivery.replay')}
      fields={{ back: path }}
    />
  );
}

export function PersonalData() {
  const { text, path, isShown } = useRenderContext();
  return isShown ? (
    <p class="notice" role="status">
      {text('shared.shown')} <Link to={path}>{text('shared.hide')}</Link>
    </p>
  ) : (
    <Form to={`${path}/show`} label={text('shared.show')} class="notice">
      <span>{text('shared.masked')}</span>{' '}
    </Form>
  );
}
