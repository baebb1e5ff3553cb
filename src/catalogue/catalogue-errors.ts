import { commonErrors, type DocumentedError } from '../http/reference/api-documentation.js';

/** No compound of the organization has the slug. */
export const compoundNotFound: DocumentedError = {
  status: 404,
  description: 'No compound of the organization has this slug',
  message: 'There is no compound with slug: palm-meadows',
};

/** What every endpoint under `/compounds` can refuse: its 401 does not tell why (rule AUTH-3). */
export const compoundErrors: readonly DocumentedError[] = [
  {
    status: 401,
    description: 'No API key, or one that is not valid',
    message: 'Unauthorized',
  },
  ...commonErrors.filter(({ status }) => status !== 401),
];
