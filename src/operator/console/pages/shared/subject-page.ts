import type { Types } from 'mongoose';
import { parseObjectId } from '../../../../core/database/documents/object-id.js';
import type { OperatorLogService } from '../../../audit/operator-log.service.js';
import type { Organization } from '../../../../tenants/organizations/organization.js';
import type { OrganizationDirectoryService } from '../../../../tenants/organizations/organization-directory.service.js';
import type { ConsolePage, PageAction, PageContent, PageRequest } from '../page.js';
import { logShowing } from './personal-data.js';

/** One thing of an organization. */
export interface Subject {
  readonly organization: Organization;
  readonly id: Types.ObjectId;
}

/** Whose page `/…/:organization/:id` is; null where there can be nothing of the kind. */
export async function subjectOf(
  directory: OrganizationDirectoryService,
  { params }: PageRequest,
): Promise<Subject | null> {
  const id = parseObjectId(params['id'] ?? '');
  const organization = await directory.find(params['organization'] ?? '');
  return id === null || organization === null ? null : { organization, id };
}

/** The page of one thing of an organization, whose personal data is hidden until it is asked for. */
export abstract class SubjectPage implements ConsolePage {
  readonly path: string;
  readonly title: 'lead.title';
  readonly isInMenu = false;
  readonly actions: readonly PageAction[];

  protected constructor(
    private readonly kind: 'lead',
    private readonly directory: OrganizationDirectoryService,
    private readonly log: OperatorLogService,
  ) {
    this.path = `/${kind}s/:organization/:id`;
    this.title = `${kind}.title`;
    this.actions = [{ path: `${this.path}/show`, run: (request) => this.show(request) }];
  }

  /** @returns null where there is nothing of the kind */
  protected abstract contentOf(
    request: PageRequest,
    subject: Subject,
    isShown: boolean,
  ): Promise<PageContent | null>;

  async read(request: PageRequest): Promise<PageContent | null> {
    const subject = await subjectOf(this.directory, request);
    return subject === null ? null : this.contentOf(request, subject, false);
  }

  private async show(request: PageRequest): Promise<PageContent | null> {
    const subject = await subjectOf(this.directory, request);
    if (subject === null) return null;
    // Nothing is logged of what is not there.
    const content = await this.contentOf(request, subject, true);
    if (content === null) return null;
    await logShowing(this.log, request, {
      organizationId: subject.organization._id,
      subject: this.kind,
      subjectId: subject.id.toHexString(),
    });
    return content;
  }
}
