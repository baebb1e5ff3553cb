import { FormToken } from '../../layout/form-token.js';
import { consolePath } from '../../layout/layout.js';
import type { PageRequest } from '../page.js';
import { Link } from './parts.js';

/** Says that personal data is hidden, with the form that shows it, or that it is shown. */
export function PersonalData({
  request,
  path,
  isShown,
}: {
  readonly request: PageRequest;
  /** Of the page, below `/console`; its form goes to `/show` below that. */
  readonly path: string;
  readonly isShown: boolean;
}) {
  const { text } = request;
  if (isShown) {
    return (
      <p class="notice" role="status">
        {text('shared.shown')} <Link to={path}>{text('shared.hide')}</Link>
      </p>
    );
  }
  return (
    <form method="post" action={`${consolePath}${path}/show`} class="notice">
      <FormToken request={request} />
      <span>{text('shared.masked')}</span>{' '}
      <button type="submit" class="plain">
        {text('shared.show')}
      </button>
    </form>
  );
}
