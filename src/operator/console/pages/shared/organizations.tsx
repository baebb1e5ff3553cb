import { parseObjectId } from '../../../../core/database/documents/tenant-document.js';
import type { Organization } from '../../../../tenants/organizations/organization.js';
import { type PageRequest, useRenderContext } from '../page.js';
import { consolePath } from './components.js';

/** Reads `/…/:organization/:id`; returns null without such an organization. */
export async function recordFromPath({ params, services }: PageRequest) {
  const id = parseObjectId(params['id'] ?? '');
  const organization = await services.organizations.findByHexId(params['organization'] ?? '');
  return id === null || organization === null ? null : { organization, id };
}

export function chosenOrganization(
  { query }: PageRequest,
  organizations: readonly Organization[],
): Organization | undefined {
  return organizations.find(({ _id }) => _id.toHexString() === query['organization']);
}

export function namesOf(organizations: readonly Organization[]): ReadonlyMap<string, string> {
  return new Map(organizations.map(({ _id, name }) => [_id.toHexString(), name]));
}

export function OrganizationFilter({
  organizations,
  chosen,
}: {
  readonly organizations: readonly Organization[];
  readonly chosen: Organization | undefined;
}) {
  const { text, path } = useRenderContext();
  return (
    <form method="get" action={consolePath + path} class="card search">
      <p>
        <label for="organization">{text('shared.organization')}</label>
        <select id="organization" name="organization">
          {chosen === undefined && <option value="">{text('shared.all')}</option>}
          {[...namesOf(organizations)].map(([id, name]) => (
            <option key={id} value={id} selected={id === chosen?._id.toHexString()}>
              {`${name} (${id})`}
            </option>
          ))}
        </select>
      </p>
      <button type="submit">{text('shared.filter')}</button>
    </form>
  );
}
