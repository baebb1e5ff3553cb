import type { ComponentChildren } from 'preact';
import type { LeadDto } from '../../../../leads/dto/lead.dto.js';
import type { PageRequest } from '../page.js';
import { Code, Link, When } from '../shared/parts.js';

/** The columns of a list of leads. */
export function leadColumns({ text }: PageRequest): string[] {
  return [
    text('lead.number'),
    text('shared.externalId'),
    text('shared.state'),
    text('shared.created'),
  ];
}

/** A lead in a list. */
export function leadRow(
  request: PageRequest,
  organizationId: string,
  lead: LeadDto,
): ComponentChildren[] {
  return [
    <Link to={`/leads/${organizationId}/${lead._id}`}>{lead.leadId}</Link>,
    <Code>{lead.recordSystemId ?? '–'}</Code>,
    leadState(request, lead),
    <When request={request} time={lead.createdAt} />,
  ];
}

/** Whether a lead is active or deleted, in words. */
export function leadState({ text }: PageRequest, { isDeleted, isActive }: LeadDto): string {
  if (isDeleted) return text('shared.deleted');
  return text(isActive ? 'shared.active' : 'shared.inactive');
}
