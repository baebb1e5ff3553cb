import { Types } from 'mongoose';
import { asObject } from '../../core/values/json.js';
import { isWebAddress } from '../../core/values/text.js';
import type { OrganizationDocument } from '../../tenants/organizations/organization.schema.js';

interface SandboxMarker {
  /** Address of the service without a slash at the end. */
  readonly url: string;
  /** When the first filling was complete; its keys may be known since then. */
  readonly completedAt: Date | null;
  /** Null while a reset runs, and after an interrupted one. */
  readonly filledAt: Date | null;
}

/**
 * Returns null for any other organization, whose records a reset must not delete (rule OPS-39). The marker names its
 * organization, so that neither a copied document nor another program's field of this name is one.
 */
export function sandboxMarkerOf({
  _id,
  sandbox,
}: Pick<OrganizationDocument, '_id' | 'sandbox'>): SandboxMarker | null {
  const { organizationId, url, completedAt, filledAt } = asObject(sandbox);
  const isOwn = organizationId instanceof Types.ObjectId && organizationId.equals(_id);
  if (!isOwn || !isWebAddress(url)) return null;
  return { url, completedAt: dateOf(completedAt), filledAt: dateOf(filledAt) };
}

/** True while a creation or a reset runs, and after an interrupted one. */
export function isUnfinished(organization: OrganizationDocument): boolean {
  return sandboxMarkerOf(organization)?.filledAt === null;
}

function dateOf(value: unknown): Date | null {
  return value instanceof Date ? value : null;
}
