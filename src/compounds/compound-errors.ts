import { errorDefinitions } from '../core/http/errors/domain-error.js';

export const compoundErrors = errorDefinitions('compounds', {
  notFound: {
    status: 404,
    code: 'compound.not_found',
    sample: { slug: 'palm-meadows' },
    cause: 'The organization has no compound with this slug',
    remedy: 'Take the slug from `GET /compounds`',
  },
});
