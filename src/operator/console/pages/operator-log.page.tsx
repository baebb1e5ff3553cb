import { operatorLogFields } from '../../views/operator-log.js';
import { keysetRequestOf } from '../components/components.js';
import { TableCard } from '../components/tables.js';
import type { ConsolePage } from '../page.js';

export const operatorLogPage: ConsolePage = {
  path: '/log',
  title: 'Log',
  isInMenu: true,
  async read(request) {
    const { services } = request;
    const { items, next } = await services.operatorLog.list(keysetRequestOf(request, 'entries'));
    const organizations = await services.organizations.findAll(
      items.map(({ organizationId }) => organizationId),
    );
    const names = new Map(organizations.map(({ _id, name }) => [_id.toHexString(), name]));
    const entries = items.map((entry) => {
      const id = entry.organizationId.toHexString();
      const organizationName = entry.subject === 'database' ? '' : (names.get(id) ?? id);
      return { ...entry, organizationName };
    });
    const body = (
      <TableCard
        label="Operator log"
        fields={operatorLogFields}
        items={entries}
        next={next}
        part="entries"
        empty={[
          'Nothing has been done yet',
          'Everything that operators change, send again or disclose, here or by commands, is listed here.',
        ]}
      />
    );
    return { heading: 'Operator log', body };
  },
};
