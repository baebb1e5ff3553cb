import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import type { ComponentChildren } from 'preact';
import { WebhookDeliveriesService } from '../../../../webhooks/deliveries/webhook-deliveries.service.js';
import { OperatorLogService, type OperatorRequest } from '../../../audit/operator-log.service.js';
import { type PageContent, type PageRequest, type Redirect, useReader } from '../page.js';
import { Card, Form, Link, When } from './parts.js';

const refreshSeconds = 2;

const backPattern = /^\/(?:webhooks|leads)(?:\/[\w-]+)+$/;

interface Action extends Omit<OperatorRequest, 'formId' | 'address' | 'session'> {
  readonly question: string;
  /** The page of the subject, relative to `/console`; the form is posted to `<path>/<action>`. */
  readonly path: string;
  readonly fields?: Readonly<Record<string, string>>;
  /** @returns how many things it changed; null where the number says nothing */
  readonly work: () => Promise<number | null>;
}

/** The outcome of an action, for the page that its form leads back to. */
export interface ActionOutcome {
  readonly notice: ComponentChildren;
  readonly refreshSeconds?: number;
}

/** Actions on pages are confirmed, logged, and done once (rule OPS-31). */
@Injectable()
export class OperatorActions {
  constructor(
    private readonly log: OperatorLogService,
    private readonly deliveries: WebhookDeliveriesService,
  ) {}

  /** Logs that personal data is shown; when this fails, nothing may be shown. */
  async logDisclosure(
    { address, session }: PageRequest,
    subject: Pick<OperatorRequest, 'organizationId' | 'subject' | 'subjectId'>,
  ): Promise<void> {
    const entry = { formId: randomUUID(), action: 'show', details: null } as const;
    await this.log.perform({ ...subject, ...entry, address, session }, () => Promise.resolve(null));
  }

  /** Asks for a confirmation; after it, does and logs the action, and leads back to the page of the form. */
  async perform(request: PageRequest, action: Action): Promise<PageContent | Redirect> {
    const { form, address, session } = request;
    const { question: _question, fields: _fields, path, work, ...logged } = action;
    const back = backPattern.test(form['back'] ?? '') ? (form['back'] ?? path) : path;
    if (form['formId'] === undefined) {
      return {
        heading: request.text('confirm.title'),
        body: <Confirmation {...{ action, back }} />,
      };
    }
    const formId = form['formId'] || randomUUID();
    await this.log.perform({ ...logged, formId, address, session }, work);
    return { redirectTo: `${back}?${new URLSearchParams({ done: formId }).toString()}` };
  }

  /** Read from the log: a link alone cannot claim that something was done. */
  async outcome(
    { query, text }: PageRequest,
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
        <When time={createdAt} /> {message()}{' '}
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

function Confirmation({
  action: { question, action, fields, path },
  back,
}: {
  readonly action: Action;
  readonly back: string;
}) {
  const { text } = useReader();
  return (
    <Card title={question}>
      <Form
        to={`${path}/${action}`}
        label={text('confirm.yes')}
        isPrimary
        fields={{ ...fields, back, formId: randomUUID() }}
        after={<Link to={back}>{text('confirm.no')}</Link>}
      />
    </Card>
  );
}

/** Sends a delivery again, from any page that lists it, and leads back there. */
export function ResendDelivery({ deliveryId }: { readonly deliveryId: string }) {
  const { path, text } = useReader();
  return (
    <Form
      to={`/webhooks/deliveries/${deliveryId}/replay`}
      label={text('delivery.replay')}
      fields={{ back: path }}
    />
  );
}

/** Says whether personal data is shown, with the form that shows it. */
export function PersonalData({
  path,
  isShown,
}: {
  /** The page, below `/console`; its form goes to `/show` below that. */
  readonly path: string;
  readonly isShown: boolean;
}) {
  const { text } = useReader();
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
