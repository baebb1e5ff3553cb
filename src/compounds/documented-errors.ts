import type { DocumentedError } from '../http/reference/api-documentation.js';

/** What `GET /compounds` refuses (rules HTTP-15 and COMP-2). */
export const listRefusals: readonly DocumentedError[] = [
  {
    status: 400,
    description: 'A parameter is not valid',
    message: ['page must be a positive number', 'limit must not exceed 100'],
  },
];
