import type { Types } from 'mongoose';
import { parseObjectId } from '../../../../core/database/documents/tenant-document.js';
import {
  type Organization,
  matchOrganizations,
} from '../../../../tenants/organizations/organization.js';
import type { OrganizationsRepository } from '../../../../tenants/organizations/organizations.repository.js';
import { type PageRequest, useReader } from '../page.js';
import { FieldTable } from './fields.js';
import { consolePath } from './parts.js';

/** More organizations are not offered; each is found by its name or id. */
const maxOrganizations = 200;

export interface Subject {
  readonly organization: Organization;
  readonly id: Types.ObjectId;
}

/** The subject of a page `/…/:organization/:id`; null without such an organization. */
export async function subjectOf(
  organizations: OrganizationsRepository,
  { params }: PageRequest,
): Promise<Subject | null> {
  const id = parseObjectId(params['id'] ?? '');
  const organization = await organizations.findByHexId(params['organization'] ?? '');
  return id === null || organization === null ? null : { organization, id };
}

/** The organizations that the filter in the address means; null without a filter. */
export function chosenOrganizations(
  { query }: PageRequest,
  organizations: readonly Organization[],
): readonly Organization[] | null {
  const wanted = (query['organization'] ?? '').trim();
  return wanted === '' ? null : matchOrganizations(organizations, wanted);
}

/** The filter by organization, with a choice when it means several. */
export function OrganizationFilter({
  organizations,
  chosen,
}: {
  readonly organizations: readonly Organization[];
  readonly chosen: readonly Organization[] | null;
}) {
  const { text, path, query } = useReader();
  const [only, ...others] = chosen ?? [];
  const isClear = only !== undefined && others.length === 0;
  return (
    <>
      <form method="get" action={consolePath + path} class="card search">
        <p>
          <label for="organization">{text('shared.organization')}</label>
          <input
            id="organization"
            name="organization"
            list="organizations"
            value={isClear ? labelOf(only) : query['organization']}
            maxLength={300}
            autocomplete="off"
            aria-describedby="organization-hint"
          />
          <small id="organization-hint">{text('shared.organizationHint')}</small>
          <datalist id="organizations">
            {organizations.slice(0, maxOrganizations).map((one) => (
              <option key={labelOf(one)} value={labelOf(one)} />
            ))}
          </datalist>
        </p>
        <button type="submit">{text('shared.filter')}</button>
      </form>
      {chosen?.length === 0 && <p class="problem">{text('shared.noOrganization')}</p>}
      {chosen !== null && chosen.length > 1 && (
        <FieldTable
          title={text('shared.organization')}
          caption={text('shared.chooseOrganization', { count: chosen.length })}
          fields={[
            {
              title: 'shared.organization',
              kind: 'text',
              of: ({ name }) => name,
              to: ({ _id }) => `${path}?organization=${_id.toHexString()}`,
            },
            { title: 'shared.id', kind: 'code', of: ({ _id }) => _id.toHexString() },
          ]}
          items={chosen.slice(0, maxOrganizations)}
        />
      )}
    </>
  );
}

/** With the id, since several organizations may have one name. */
function labelOf({ _id, name }: Organization): string {
  return `${name} ${_id.toHexString()}`.trimStart();
}
