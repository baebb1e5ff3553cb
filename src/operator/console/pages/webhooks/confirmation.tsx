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
  { question, path, fields = {}, back }: Question,
): PageContent {
  const { text } = request;
  const hidden = { ...fields, formId: randomUUID() };
  const body = (
    <Card title={text('confirm.title')}>
      <p>{question}</p>
      <form method="post" action={consolePath + path}>
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

interface Question {
  readonly question: string;
  /** Where it is done, and where one goes back to, below `/console`. */
  readonly path: string;
  readonly back: string;
  /** What the form sends in addition. */
  readonly fields?: Readonly<Record<string, string>>;
}

interface Action
  extends Omit<Question, 'path'>, Omit<OperatorRequest, 'formId' | 'address' | 'session'> {
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
  { question, fields = {}, back, work, ...action }: Action,
): Promise<PageContent | Redirect> {
  const { form, address, session } = request;
  if (form['formId'] === undefined) {
    return confirmation(request, { question, path: `${back}/${action.action}`, fields, back });
  }
  const formId = form['formId'] || randomUUID();
  const asked = { ...action, formId, address, session: session.id };
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
