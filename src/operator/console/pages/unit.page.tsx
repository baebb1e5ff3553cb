import { reservationListFields } from '../../views/reservation.js';
import { unitChangeFields, unitFields } from '../../views/unit.js';
import { Card, keysetRequestOf } from '../components/components.js';
import { FieldList, TableCard } from '../components/tables.js';
import type { ConsolePage } from '../page.js';
import { recordFromPath } from './record.js';

export const unitPage: ConsolePage = {
  path: '/units/:organization/:id',
  title: 'Unit',
  async read(request) {
    const { services } = request;
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
        <Card title="Now">
          <FieldList fields={unitFields} item={unit} />
        </Card>
        <TableCard
          title="Reservations"
          fields={reservationListFields.filter(({ record: kind }) => kind !== 'unit')}
          part="reservations"
          {...reservations}
          empty={[
            'No reservation',
            'Reservations of this unit that are not deleted are listed here.',
          ]}
        />
        <TableCard
          title="Status changes"
          fields={unitChangeFields}
          items={changes}
          empty={[
            'No change is known',
            'Changes of the status, and what caused them, are listed here.',
          ]}
        />
      </>
    );
    return {
      heading: `Unit ${unit.unitId || unit.slug || unit._id}`,
      summary: organization.name,
      body,
    };
  },
};
