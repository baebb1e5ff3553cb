import { randomUUID } from 'node:crypto';
import type { ComponentChildren } from 'preact';
import type { OperatorLogService, OperatorRequest } from '../../../audit/operator-log.service.js';
import { FormToken } from '../../layout/form-token.js';
import { consolePath } from '../../layout/layout.js';
import type { PageContent, PageRequest, Redirect } from '../page.js';
import { Card, Link } from '../shared/parts.js';

/** Asks whether something is to be done; a form that is sent twice does it once. */
function confirmation(
  request: PageRequest,
  { question, action, fields = {}, back }: Action,
): PageContent {
  const { text } = request;
  const hidden = { ...fields, formId: randomUUID() };
  const body = (
    <Card title={text('confirm.title')}>
      <p>{question}</p>
      <form method="post" action={`${consolePath}${back}/${action}`}>
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

interface Action extends Omit<OperatorRequest, 'formId' | 'address' | 'session'> {
  readonly question: string;
  /** What is shown before and after it, below `/console`; the name of the action follows for its form. */
  readonly back: string;
  /** What the form sends in addition. */
  readonly fields?: Readonly<Record<string, string>>;
  /** @returns how many things it was done to, null where that says nothing */
  readonly work: () => Promise<number | null>;
}

/**
 * Asks first: nothing is done without the form of the question. Then does and logs it, and leads to the
 * page that shows its outcome.
 */
export async function performConfirmed(
  request: PageRequest,
  log: OperatorLogService,
  action: Action,
): Promise<PageContent | Redirect> {
  const { form, address, session } = request;
  if (form['formId'] === undefined) return confirmation(request, action);
  const { question: _question, fields: _fields, back, work, ...logged } = action;
  const formId = form['formId'] || randomUUID();
  const asked = { ...logged, formId, address, session: session.id };
  const { result, count } = await log.perform(asked, work);
  const done = { done: asked.action, result, ...(count === null ? {} : { count: String(count) }) };
  return { redirectTo: `${back}?${new URLSearchParams(done).toString()}` };
}

/** Says what came of it, on the page that {@link performConfirmed} leads to. */
export function DoneNotice({
  request: { query, text },
}: {
  readonly request: PageRequest;
}): ComponentChildren {
  const { done, result, count = '0' } = query;
  if (done !== 'replay' && done !== 'enable') return null;
  const message = () => {
    if (result !== 'done') return text(result === 'failed' ? 'done.failed' : 'done.begun');
    if (done === 'enable') return text('done.enabled');
    return text('done.replayed', { count: /^\d{1,9}$/.test(count) ? count : '–' });
  };
  return (
    <p class="notice" role="status">
      {message()}
    </p>
  );
}
