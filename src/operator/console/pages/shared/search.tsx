import type { Organization } from '../../../../tenants/organizations/organization.js';
import type { PageRequest } from '../page.js';
import { FieldTable } from './fields.js';

/** More organizations are not offered for choice; each is found by its name or id. */
const mostOffered = 200;

/** A field in which one chooses an organization by name or id. */
export function OrganizationField({
  request,
  organizations,
  value = '',
  isRequired = true,
}: {
  readonly request: PageRequest;
  readonly organizations: readonly Organization[];
  readonly value?: string | undefined;
  readonly isRequired?: boolean;
}) {
  const { text } = request;
  return (
    <p>
      <label for="organization">{text('shared.organization')}</label>
      <input
        id="organization"
        name="organization"
        list="organizations"
        value={value}
        required={isRequired}
        maxLength={300}
        autocomplete="off"
        aria-describedby="organization-hint"
      />
      <small id="organization-hint">{text('shared.organizationHint')}</small>
      <datalist id="organizations">
        {organizations.slice(0, mostOffered).map((organization) => (
          <option key={organizationLabel(organization)} value={organizationLabel(organization)} />
        ))}
      </datalist>
    </p>
  );
}

/** What is shown instead of a result where the organization is not clear. */
export function OrganizationChoice({
  request,
  organizations,
}: {
  readonly request: PageRequest;
  readonly organizations: readonly Organization[];
}) {
  const { text } = request;
  if (organizations.length === 0) return <p class="problem">{text('shared.noOrganization')}</p>;
  return (
    <FieldTable
      request={request}
      title={text('shared.organization')}
      caption={text('shared.chooseOrganization', { count: organizations.length })}
      fields={[
        { title: 'shared.organization', kind: 'text', of: ({ name }) => name },
        { title: 'shared.id', kind: 'code', of: ({ _id }) => _id.toHexString() },
      ]}
      items={organizations.slice(0, mostOffered)}
    />
  );
}

/** What tells an organization from others of its name. */
export function organizationLabel({ _id, name }: Organization): string {
  return `${name} ${_id.toHexString()}`.trimStart();
}
