import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { Caller } from '../authentication/caller.js';
import { ClientsService } from '../clients/clients.service.js';
import { CompoundsService } from '../compounds/compounds.service.js';
import { contactOf } from '../contacts/contact.js';
import type { LeadData, LeadDocument } from './lead.schema.js';

/** What a lead refers to: compounds by its project's name, and its client. */
@Injectable()
export class LeadLinks {
  constructor(
    private readonly compounds: CompoundsService,
    private readonly clients: ClientsService,
  ) {}

  /** The lead's compounds, with those added that bear the sent project's name ("Leads" 8). */
  async compoundsOf(
    caller: Caller,
    stored: LeadDocument | null,
    sent: LeadData,
  ): Promise<Types.ObjectId[]> {
    const linked = stored?.compoundsIds ?? [];
    const { project } = sent;
    if (typeof project !== 'string' || project === '') return linked;
    const { organizationId, language } = caller;
    const named = await this.compounds.idsNamed(organizationId, project, language);
    return [...linked, ...named.filter((id) => !linked.some((other) => other.equals(id)))];
  }

  /**
   * The lead's client, brought up to date ("Leads" 9): the one it has already with what was sent,
   * otherwise one that the merged lead matches or makes.
   */
  async clientOf(
    { organization }: Caller,
    stored: LeadDocument | null,
    sent: LeadData,
    merged: LeadData,
  ): Promise<Types.ObjectId | null> {
    if (!stored?.clientId) return this.clients.link(organization, contactOf(merged));
    await this.clients.updateLinked(organization, stored.clientId, contactOf(sent));
    return stored.clientId;
  }
}
