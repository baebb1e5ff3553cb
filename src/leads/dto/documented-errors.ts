import type { DocumentedError } from '../../http/reference/api-documentation.js';

/** What `POST /leads` refuses for its content (section 7). */
export const leadRefusals: readonly DocumentedError[] = [
  {
    status: 400,
    description: 'A field has the wrong type or is empty',
    message: ['phoneNumber must be a string', 'data must be an object'],
  },
  {
    status: 400,
    description: 'The email is not valid',
    message: ['email must be an email'],
  },
  {
    status: 400,
    description: 'Another lead of the organization has the phone',
    message: ['Duplicate Lead: Existing Lead (01001234567) exists. and is not assigned to anyone.'],
  },
  {
    status: 400,
    description: 'The lead would become too large',
    message: [
      'The lead would become too large: data and additionalData together may take up to 4 MiB as ' +
        'stored. Shorten values, or send null for keys that are no longer needed',
    ],
  },
];

/** The path names what cannot be an external id. */
export const unstorableLeadId: DocumentedError = {
  status: 400,
  description: 'The external id has a null character or is longer than 1,024 characters',
  message: ['recordSystemId must not have a null character or a broken character'],
};

/** There is no active lead with the external id. */
export const leadNotFound: DocumentedError = {
  status: 404,
  description: 'There is no active lead with this external id',
  message: 'Lead not found',
};
