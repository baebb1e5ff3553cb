import type { Types } from 'mongoose';
import { parseObjectId } from '../../../../core/database/documents/tenant-document.js';
import {
  type Organization,
  matchOrganizations,
} from '../../../../tenants/organizations/organization.js';
import { type PageRequest, useReader } from '../page.js';
import { FieldTable } from './fields.js';
import { consolePath } from './parts.js';

/** More matches of a filter are not listed. */
const maxOrganizations = 200;

/** The record of a page `/…/:organization/:id`; null without such an organization. */
export async function recordOf({ params, services }: PageRequest): Promise<{
  readonly organization: Organization;
  readonly id: Types.ObjectId;
} | null> {
  const id = parseObjectId(params['id'] ?? '');
  const organization = await services.organizations.findByHexId(params['organization'] ?? '');
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

export function namesOf(organizations: readonly Organization[]): ReadonlyMap<string, string> {
  return new Map(organizations.map(({ _id, name }) => [_id.toHexString(), name]));
}

/** The filter by organization; several matches are listed as a choice. */
export function OrganizationFilter({
  choices,
}: {
  readonly choices: readonly Organization[] | null;
}) {
  const { text, path, query } = useReader();
  return (
    <>
      <form method="get" action={consolePath + path} class="card search">
        <p>
          <label for="organization">{text('shared.organization')}</label>
          <input
            id="organization"
            name="organization"
            value={query['organization']}
            maxLength={300}
            autocomplete="off"
            aria-describedby="organization-hint"
          />
          <small id="organization-hint">{text('shared.organizationHint')}</small>
        </p>
        <button type="submit">{text('shared.filter')}</button>
      </form>
      {choices?.length === 0 && <p class="problem">{text('shared.noOrganization')}</p>}
      {choices !== null && choices.length > 1 && (
        <FieldTable
          title={text('shared.organization')}
          caption={text('shared.chooseOrganization', { count: choices.length })}
          fields={[
            {
              title: 'shared.organization',
              kind: 'text',
              of: ({ name }) => name,
              to: ({ _id }) => `${path}?organization=${_id.toHexString()}`,
            },
            { title: 'shared.id', kind: 'code', of: ({ _id }) => _id.toHexString() },
          ]}
          items={choices.slice(0, maxOrganizations)}
        />
      )}
    </>
  );
}
