import type { DocumentedError } from '../http/reference/api-documentation.js';

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

/** What `POST /units` refuses for its content. */
export const upsertRefusals: readonly DocumentedError[] = [
  {
    status: 400,
    description: 'No id, or no compound for a new unit',
    message: ['recordSystemId or unitId is required'],
  },
  {
    status: 400,
    description: 'A name resolves to nothing',
    message: ['propertyType resolves to nothing: castle'],
  },
  {
    status: 400,
    description: 'The unit id tells several units, or is taken in the compound',
    message: ['unitId names several units, send compound too: A-101'],
  },
];
