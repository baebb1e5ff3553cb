import { reservationListFields } from '../../views/reservation.js';
import { unitChangeFields, unitFields } from '../../views/unit.js';
import type { ConsolePage } from './page.js';
import { FieldList, FieldTable } from './shared/tables.js';
import { recordFromPath } from './shared/organizations.js';
import { keysetRequestOf } from './shared/components.js';

export const unitPage: ConsolePage = {
  path: '/units/:organization/:id',
  title: 'shared.unit',
  async read(request) {
    const { text, services } = request;
    const record = await recordFromPath(request);
    const unit = record && (await services.units.inspect(record.organization._id, record.id));
    if (record === null || unit === null) return null;
    const { organization, id: unitId } = record;
    const part = keysetRequestOf(request, 'reservations');
    const [reservations, changes] = await Promise.all([
      services.reservations.list(organization._id, { unitId }, part),
      services.reservations.unitChanges(organization._id, unitId),
    ]);
    const body = (
      <>
        <FieldList
          title={text('shared.now')}
          fields={[{ title: 'shared.organization', show: () => organization.name }, ...unitFields]}
          item={unit}
        />
        <FieldTable
          title={text('shared.reservations')}
          caption={text('unit.reservationsCaption')}
          fields={reservationListFields.filter(({ record: kind }) => kind !== 'unit')}
          part="reservations"
          {...reservations}
        />
        <FieldTable title={text('unit.changes')} fields={unitChangeFields} items={changes} />
      </>
    );
    return { name: unit.unitId || unit.slug || unit._id, body };
  },
};
