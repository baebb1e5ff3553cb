import {
  IgnoredWithAll,
  PageLimit,
  PageNumber,
  Switch,
  Time,
} from '../http/validation/query-decorators.js';

/** Query of `GET /compounds`; unknown parameters are ignored (rules COMP-1, COMP-2 and COMP-3). */
export class ListCompoundsQuery {
  @IgnoredWithAll()
  @PageNumber()
  page?: string;

  @IgnoredWithAll()
  @PageLimit()
  limit?: string;

  @Switch('1 gives everything in one streamed response; page and limit are then ignored.')
  all?: string;

  @Time('Only what changed since then, oldest change first. Send the last x-updated-as-of.')
  updatedSince?: string;

  @Switch('1 lists soft-deleted ones too (isDeleted: true), so that a poller can drop them.')
  includeDeleted?: string;
}
