import type { DocumentedError } from '../../http/api-documentation.js';

/** What the lists of units refuse. */
export const listRefusals: readonly DocumentedError[] = [
  {
    status: 400,
    description: 'A parameter is not known',
    message: ['colour is not a known parameter'],
  },
  {
    status: 400,
    description: 'A parameter is not valid',
    message: ['limit must not exceed 100', 'minPrice must be a plain number that is not negative'],
  },
];

/** No unit of the organization has the slug. */
export const unitNotFound: DocumentedError = {
  status: 404,
  description: 'No unit of the organization has this slug',
  message: 'There is no unit with slug: palm-meadows-v-101',
};
