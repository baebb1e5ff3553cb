import { operatorLogFields } from '../../views/operator-log.js';
import type { ConsolePage } from './page.js';
import { FieldTable } from './shared/tables.js';
import { namesOf } from './shared/organizations.js';
import { keysetRequestOf } from './shared/components.js';

export const operatorLogPage: ConsolePage = {
  path: '/log',
  title: 'log.title',
  isInMenu: true,
  async read(request) {
    const { text, services } = request;
    const part = keysetRequestOf(request, 'entries');
    const { items, next } = await services.operatorLog.list(part);
    const names = namesOf(await services.organizations.listByName());
    const entries = items.map((entry) => {
      const id = entry.organizationId.toHexString();
      const organizationName = entry.subject === 'database' ? '' : (names.get(id) ?? id);
      return { ...entry, organizationName };
    });
    const body = (
      <FieldTable
        title={text('log.title')}
        fields={operatorLogFields}
        items={entries}
        next={next}
        part="entries"
      />
    );
    return { body };
  },
};
