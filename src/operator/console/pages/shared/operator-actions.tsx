import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import type { ComponentChildren } from 'preact';
import { WebhookDeliveriesService } from '../../../../webhooks/deliveries/webhook-deliveries.service.js';
import { OperatorLogService, type OperatorRequest } from '../../../audit/operator-log.service.js';
import { FormToken } from '../../layout/form-token.js';
import { consolePath } from '../../layout/layout.js';
import type { PageContent, PageRequest, Redirect } from '../page.js';
import { Card, Link, When } from './parts.js';

/** How often a page is loaded again while an attempt is under way. */
const refreshSeconds = 2;

/** Where a form may lead back to. */
const backPattern = /^\/(?:webhooks|leads)(?:\/[\w-]+)+$/;

interface Action extends Omit<OperatorRequest, 'formId' | 'address' | 'session'> {
  readonly question: string;
  /** The page of what it is done to, below `/console`; the name of the action follows for its form. */
  readonly path: string;
  /** What the form sends in addition. */
  readonly fields?: Readonly<Record<string, string>>;
  /** @returns how many things it was done to, null where that says nothing */
  readonly work: () => Promise<number | null>;
}

/** What became of an action, for the page that it leads back to. */
export interface ActionOutcome {
  readonly notice: ComponentChildren;
  readonly refreshSeconds?: number;
}

/** What the operator does on pages: asked first, logged, done once (rule OPS-31). */
@Injectable()
export class OperatorActions {
  constructor(
    private readonly log: OperatorLogService,
    private readonly deliveries: WebhookDeliveriesService,
  ) {}

  /** Logs that personal data is shown; it is not when that fails. */
  async logShowing(
    { address, session }: PageRequest,
    subject: Pick<OperatorRequest, 'organizationId' | 'subject' | 'subjectId'>,
  ): Promise<void> {
    const who = { address, session: session.id, formId: randomUUID() };
    const asked = { ...subject, ...who, action: 'show', details: null } as const;
    await this.log.perform(asked, () => Promise.resolve(null));
  }

  /**
   * Asks first: nothing is done without the form of the question. Then does and logs it, and leads back to the
   * page that the form was on, which shows the outcome.
   */
  async perform(request: PageRequest, action: Action): Promise<PageContent | Redirect> {
    const { form, address, session } = request;
    const { question: _question, fields: _fields, path, work, ...logged } = action;
    const back = backPattern.test(form['back'] ?? '') ? (form['back'] ?? path) : path;
    if (form['formId'] === undefined) return confirmation(request, action, back);
    const formId = form['formId'] || randomUUID();
    await this.log.perform({ ...logged, formId, address, session: session.id }, work);
    return { redirectTo: `${back}?${new URLSearchParams({ done: formId }).toString()}` };
  }

  /** What the log says of the form that led here; nothing that an address alone could claim. */
  async outcome(
    { query, text, ...request }: PageRequest,
    organizationId: Types.ObjectId,
  ): Promise<ActionOutcome> {
    const { done } = query;
    const entry = done === undefined ? null : await this.log.find(organizationId, done);
    if (entry === null || (entry.action !== 'replay' && entry.action !== 'enable')) {
      return { notice: null };
    }
    const { action, result, count, subject, subjectId, createdAt } = entry;
    const delivery =
      subject === 'delivery' ? await this.deliveries.find(new Types.ObjectId(subjectId)) : null;
    const message = () => {
      if (result !== 'done') return text(result === 'failed' ? 'done.failed' : 'done.begun');
      return action === 'enable'
        ? text('done.enabled')
        : text('done.replayed', { count: count ?? 0 });
    };
    const notice = (
      <p class="notice" role="status">
        <When request={{ ...request, query, text }} time={createdAt} /> {message()}{' '}
        {delivery !== null && (
          <Link to={`/webhooks/deliveries/${subjectId}`}>
            {text('done.now', {
              state: text(`delivery.${delivery.status}`),
              response: delivery.lastStatusCode ?? delivery.lastError ?? '–',
            })}
          </Link>
        )}
      </p>
    );
    return delivery?.status === 'pending' ? { notice, refreshSeconds } : { notice };
  }
}

function confirmation(
  request: PageRequest,
  { question, action, fields = {}, path }: Action,
  back: string,
): PageContent {
  const { text } = request;
  const hidden = { ...fields, back, formId: randomUUID() };
  const body = (
    <Card title={text('confirm.title')}>
      <p>{question}</p>
      <form method="post" action={`${consolePath}${path}/${action}`}>
        <FormToken request={request} />
        {Object.entries(hidden).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <button type="submit">{text('confirm.yes')}</button>{' '}
        <Link to={back}>{text('confirm.no')}</Link>
      </form>
    </Card>
  );
  return { heading: text('confirm.title'), body };
}

/** Sends a delivery again, from any page that lists it, and leads back there. */
export function SendAgain({
  request,
  deliveryId,
}: {
  readonly request: PageRequest;
  readonly deliveryId: string;
}) {
  return (
    <form method="post" action={`${consolePath}/webhooks/deliveries/${deliveryId}/replay`}>
      <FormToken request={request} />
      <input type="hidden" name="back" value={request.path} />
      <button type="submit" class="plain">
        {request.text('delivery.replay')}
      </button>
    </form>
  );
}
