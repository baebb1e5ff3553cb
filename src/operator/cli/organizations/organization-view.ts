import type { INestApplicationContext } from '@nestjs/common';
import type { OrganizationDocument } from '../../../tenants/organizations/organization.schema.js';

/**
 * The organization with an id, or the only one with a name, in whatever case.
 *
 * @throws Error when there is none, or several, or it is deleted
 */
export async function organizationOf(
  application: INestApplicationContext,
  idOrName: string,
): Promise<OrganizationDocument> {
  const { foldCase } = await import('../../../core/localization/fold-case.js');
  const { parseObjectId } = await import('../../../core/database/documents/object-id.js');
  const { OrganizationsRepository } =
    await import('../../../tenants/organizations/organizations.repository.js');
  const organizations = application.get(OrganizationsRepository);
  const _id = parseObjectId(idOrName);
  const isMeant = ({ name }: OrganizationDocument) => foldCase(name ?? '') === foldCase(idOrName);
  const [document, ...others] = _id
    ? [await organizations.findDocument(_id)]
    : (await organizations.list()).filter(isMeant);
  if (!document) {
    const kind = _id ? 'with id' : 'called';
    throw new Error(`There is no organization ${kind} ${idOrName}: \`org list\` lists them.`);
  }
  if (others.length === 0) return document;
  const ids = [document, ...others].map((one) => one?._id.toHexString()).join(', ');
  throw new Error(`Several organizations are called ${idOrName}, give the id of one: ${ids}.`);
}
