import { errorDefinitions } from '../core/errors/domain-error.js';
import { commonErrorsWith, unauthorizedKey } from '../tenants/keys/key-errors.js';

export const compoundErrors = errorDefinitions('compounds', {
  notFound: {
    status: 404,
    code: 'compound.not_found',
    sample: { slug: 'palm-meadows' },
    cause: 'The organization has no compound with this slug',
    remedy: 'Take the slug from `GET /compounds`',
  },
});

/** Every 401 under `/compounds` has one message; the code names the fault of the key (rule AUTH-3). */
export const commonCompoundErrors = commonErrorsWith({ messageKey: unauthorizedKey });
