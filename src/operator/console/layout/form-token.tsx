import type { PageRequest } from '../pages/page.js';

/** The hidden field that every form of the console has to have (rule OPS-30). */
export function FormToken({ request }: { readonly request: Pick<PageRequest, 'formToken'> }) {
  return <input type="hidden" name="token" value={request.formToken} />;
}
