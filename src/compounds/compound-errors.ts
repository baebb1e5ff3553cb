import type { ErrorDefinition } from '../core/http/errors/error-definition.js';

export const compoundErrors = {
  notFound: {
    status: 404,
    code: 'compound.not_found',
    messageKey: 'compounds.notFound',
    sample: { slug: 'palm-meadows' },
    cause: 'The organization has no compound with this slug',
    remedy: 'Take the slug from `GET /compounds`',
  },
} satisfies Record<string, ErrorDefinition>;
