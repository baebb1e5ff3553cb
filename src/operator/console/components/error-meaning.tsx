import { allErrors } from '../../../reference/errors.js';

const byCode = new Map(allErrors.map((error) => [error.code, error]));

/** Says what an error code means and what its receiver does about it, in the words of the API reference. */
export function ErrorMeaning({ code }: { readonly code: string }) {
  const error = byCode.get(code);
  if (error === undefined) return null;
  return (
    <p>
      {error.cause.replaceAll('`', '')}. <strong>What to do:</strong>{' '}
      {error.remedy.replaceAll('`', '')}.
    </p>
  );
}
