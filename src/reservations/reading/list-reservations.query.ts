import { ExternalIdField } from '../../core/validation/fields.js';
import { ChoiceList, PageLimit, PollingQuery } from '../../core/validation/query-fields.js';
import { reservationStatuses } from '../reservation-status.js';

export class ListReservationsQuery extends PollingQuery {
  @PageLimit()
  limit?: string;

  @ExternalIdField({ description: 'The external id, exactly as sent.', example: 'deal-4711' })
  recordSystemId?: string;

  @ExternalIdField({
    description: 'Of this unit: its id, slug, `recordSystemId` or `unitId`.',
    example: 'palm-villa-12',
  })
  unit?: string;

  @ExternalIdField({
    description: 'Of this lead: its `recordSystemId` or id.',
    example: 'website-form-7-4711',
  })
  lead?: string;

  @ChoiceList(reservationStatuses, 'In any of these statuses.')
  status?: string;
}
