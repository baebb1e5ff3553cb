import { randomUUID } from 'node:crypto';
import type { ComponentChildren } from 'preact';
import type { OperatorLogService, OperatorRequest } from '../../../audit/operator-log.service.js';
import { FormToken } from '../../layout/form-token.js';
import { consolePath } from '../../layout/layout.js';
import type { PageContent, PageRequest, Redirect } from '../page.js';
import { Card, Link } from '../shared/parts.js';

/** Asks whether something is to be done; a form that is sent twice does it once. */
export function confirmation(
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

/** What of a logged request the form and the session say. */
export function askedBy({ form, address, session }: PageRequest) {
  return { formId: form['formId'] || randomUUID(), address, session: session.id };
}

/** Does and logs what was confirmed, and leads to where its outcome is shown. */
export async function performConfirmed(
  log: OperatorLogService,
  asked: OperatorRequest,
  work: () => Promise<number | null>,
  back: string,
): Promise<Redirect> {
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
