import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Types } from 'mongoose';
import type { OperatorRequest } from '../../operator-log/operator-log.service.js';
import {
  type ConsolePage,
  type PageContent,
  type PageRequest,
  type Redirect,
  type Subject,
  useRenderContext,
} from '../page.js';
import { Alert, Card, Form, Link } from './components.js';

/** Longer work continues after the response to its form. */
const maxWaitMs = 3_000;

const logger = new Logger('Console');

const backPattern = /^\/(?:webhooks|leads)(?:\/[\w-]+)+$/;

export type Action = Subject &
  Pick<OperatorRequest, 'action' | 'details'> & {
    /** @returns the number of changed records; null if there is no such number */
    readonly work: () => Promise<number | null>;
  };

/** Logs the disclosure first (rule OPS-31). */
export function withDisclosureLog(read: ConsolePage['read']): ConsolePage['read'] {
  return async (request) => {
    const content = await read(request);
    if (!content?.personal) return null;
    const { address, session, services } = request;
    const entry = {
      formId: randomUUID(),
      action: `${content.personal.subject}.show`,
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

/** Performs and logs the action once, and returns to the form's page, which shows the progress of long work. */
export async function performOnce(
  request: PageRequest,
  { work, ...logged }: Action,
): Promise<Redirect> {
  const { form, path, address, session, services } = request;
  const back = backPattern.test(form['back'] ?? '') ? (form['back'] ?? path) : path;
  const formId = form['formId'] || randomUUID();
  const entry = { ...logged, formId, address, session };
  const performed = services.operatorLog.perform(entry, work);
  performed.catch((error: unknown) => logger.error(error));
  await Promise.race([performed, delay(maxWaitMs)]);
  return { redirectTo: `${back}?${new URLSearchParams({ done: formId }).toString()}` };
}

/** Fields of a form whose action runs once, however often it is sent. */
export function onceFields(): { readonly formId: string } {
  return { formId: randomUUID() };
}

/** Asks first, because the action is not undone by another click. */
export function confirmation(
  { path, form }: PageRequest,
  { action, question }: { readonly action: string; readonly question: string },
): PageContent {
  const body = (
    <Card>
      <p>{question}</p>
      <div class="d-flex gap-2">
        <Form
          to={`${path}/${action}`}
          label="Confirm"
          isPrimary
          fields={{ ...form, ...onceFields() }}
        />
        <Link class="btn" to={path}>
          Cancel
        </Link>
      </div>
    </Card>
  );
  return { heading: 'Are you sure?', body };
}

/** Reads the outcome from the log: a link alone cannot claim that something happened. */
export async function loggedAction(
  { query, services }: PageRequest,
  organizationId: Types.ObjectId,
) {
  const { done: formId } = query;
  return formId ? services.operatorLog.find(organizationId, formId) : null;
}

/** Works on any page that lists deliveries, and returns there. */
export function ResendDelivery({ deliveryId }: { readonly deliveryId: string }) {
  const { path } = useRenderContext();
  return (
    <Form
      to={`/webhooks/deliveries/${deliveryId}/replay`}
      label="Send again"
      fields={{ back: path, ...onceFields() }}
    />
  );
}

export function PersonalData() {
  const { path, isShown } = useRenderContext();
  return isShown ? (
    <Alert severity="warn">
      Personal data is shown, and the operator log says so.{' '}
      <Link to={path} class="alert-link">
        Hide it
      </Link>
    </Alert>
  ) : (
    <Form to={`${path}/show`} label="Show personal data" class="mb-3" />
  );
}
