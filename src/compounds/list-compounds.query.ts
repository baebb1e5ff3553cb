import { TimeField } from '../core/http/validation/fields.js';
import {
  After,
  IgnoredWithAll,
  PageLimit,
  PageNumber,
  Switch,
} from '../core/http/validation/query-fields.js';
import { ToleratesUnknownNames } from '../core/http/validation/unknown-names.js';

/** Query of `GET /compounds`; unknown parameters are ignored and reported (rules COMP-1 to COMP-3). */
@ToleratesUnknownNames()
export class ListCompoundsQuery {
  @IgnoredWithAll()
  @PageNumber()
  page?: string;

  @IgnoredWithAll()
  @PageLimit()
  limit?: string;

  @Switch('1 gives everything in one streamed response; page and limit are then ignored.')
  all?: string;

  @TimeField({
    description:
      'Only what changed since then, itself or its organization, oldest change first. Send the ' +
      'x-updated-as-of of the last page.',
  })
  updatedSince?: Date;

  @After()
  after?: string;

  @Switch('1 lists soft-deleted ones too (isDeleted: true), so that a poller can drop them.')
  includeDeleted?: string;
}
