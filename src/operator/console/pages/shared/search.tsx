import type { ComponentChildren } from 'preact';
import type { Organization } from '../../../../tenants/organizations/organization.js';
import { FormToken } from '../../layout/form-token.js';
import { consolePath } from '../../layout/layout.js';
import type { PageRequest } from '../page.js';
import { Card, Code, DataTable } from './parts.js';

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

/**
 * The form of a page that looks for things of one organization. What it looks for is no part of an
 * address: it may be a phone.
 */
export function SearchForm({
  request,
  organizations,
  path,
  label,
  hint,
  children,
}: {
  readonly request: PageRequest;
  readonly organizations: readonly Organization[];
  /** Where it is sent, below `/console`. */
  readonly path: string;
  /** What is looked for, and how. */
  readonly label: string;
  readonly hint: string;
  /** What was found. */
  readonly children?: ComponentChildren;
}) {
  const { form, text } = request;
  return (
    <>
      <form method="post" action={consolePath + path} class="card search">
        <FormToken request={request} />
        <OrganizationField
          request={request}
          organizations={organizations}
          value={form['organization']}
        />
        <p>
          <label for="reference">{label}</label>
          <input
            id="reference"
            name="reference"
            value={form['reference'] ?? ''}
            required
            maxLength={1_024}
            autocomplete="off"
            aria-describedby="reference-hint"
          />
          <small id="reference-hint">{hint}</small>
        </p>
        <button type="submit">{text('shared.search')}</button>
      </form>
      <div role="status">{children}</div>
    </>
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
  const caption = text('shared.chooseOrganization', { count: organizations.length });
  const rows = organizations
    .slice(0, mostOffered)
    .map(({ _id, name }) => [name, <Code>{_id.toHexString()}</Code>]);
  return (
    <Card title={text('shared.organization')}>
      <DataTable
        request={request}
        caption={caption}
        columns={[text('shared.organization'), text('shared.id')]}
        rows={rows}
      />
    </Card>
  );
}

/** What tells an organization from others of its name. */
export function organizationLabel({ _id, name }: Organization): string {
  return `${name} ${_id.toHexString()}`.trimStart();
}
