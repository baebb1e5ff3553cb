import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { parseObjectId } from '../../../../core/database/documents/tenant-document.js';
import { type Language, textIn } from '../../../../core/localization/language.js';
import { EventHistoryService } from '../../../../events/outbox/event-history.service.js';
import { objectIdOf } from '../../../../events/outbox/message.js';
import { LeadLookupService } from '../../../../leads/lead-lookup.service.js';
import {
  type FoundReservation,
  ReservationsService,
} from '../../../../reservations/reading/reservations.service.js';
import { ApiKeysService } from '../../../../tenants/keys/api-keys.service.js';
import type { Organization } from '../../../../tenants/organizations/organization.js';
import { UnitLookupService } from '../../../../units/reading/unit-lookup.service.js';
import { WebhookDeliveriesService } from '../../../../webhooks/deliveries/webhook-deliveries.service.js';
import { WebhookEndpointsService } from '../../../../webhooks/endpoints/webhook-endpoints.service.js';
import { PartnersService } from '../../../usage/partners.service.js';
import { eventPath, recordPath } from '../../../views/field.js';
import { maskedUrl } from '../shared/masking.js';

/** A record that a reference may mean, and how it differs from others. */
export interface SearchResult {
  readonly kind: 'lead' | 'reservation' | 'unit' | 'delivery' | 'endpoint' | 'key' | 'event';
  readonly organizationId: string;
  readonly name: string;
  readonly path: string | null;
  readonly details: readonly (string | null)[];
  readonly createdAt: Date | string | null;
}

/** Finds records of all organizations by whatever names them: ids, phones, emails, request ids, keys. */
@Injectable()
export class RecordSearchService {
  constructor(
    private readonly leads: LeadLookupService,
    private readonly reservations: ReservationsService,
    private readonly units: UnitLookupService,
    private readonly events: EventHistoryService,
    private readonly deliveries: WebhookDeliveriesService,
    private readonly endpoints: WebhookEndpointsService,
    private readonly keys: ApiKeysService,
    private readonly partners: PartnersService,
  ) {}

  async find(
    organizations: readonly Organization[],
    reference: string,
    language: Language,
    limit: number,
  ): Promise<SearchResult[]> {
    if (organizations.length === 0) return [];
    const ids = organizations.map(({ _id }) => _id);
    const found = await Promise.all([
      this.leadsNamed(organizations, reference, limit),
      this.reservations.search(ids, reference).then((all) => all.map(reservationResult)),
      this.unitsNamed(ids, reference, language, limit),
      this.changesOf(ids, reference, limit),
      this.deliveriesNamed(ids, reference, limit),
      this.keysNamed(ids, reference),
    ]);
    return [
      ...new Map(found.flat().map((result) => [result.path ?? result.name, result])).values(),
    ];
  }

  private async leadsNamed(
    organizations: readonly Organization[],
    reference: string,
    limit: number,
  ): Promise<SearchResult[]> {
    const found = await this.leads.search(organizations, reference, limit);
    return found.map(({ _id, organizationId, leadId, recordSystemId, isDeleted, createdAt }) => ({
      kind: 'lead',
      organizationId,
      name: String(leadId),
      path: recordPath('leads', organizationId, _id),
      details: [recordSystemId ?? null, isDeleted ? 'deleted' : null],
      createdAt,
    }));
  }

  private async unitsNamed(
    organizationIds: readonly Types.ObjectId[],
    reference: string,
    language: Language,
    limit: number,
  ): Promise<SearchResult[]> {
    const found = await this.units.search(organizationIds, reference, limit);
    return found.map(({ _id, organizationId, slug, unitId, compound, ...unit }) => ({
      kind: 'unit',
      organizationId,
      name: unitId ?? slug ?? _id,
      path: recordPath('units', organizationId, _id),
      details: [textIn(compound, language) || unit.compoundId, slug, unit.status],
      createdAt: unit.createdAt,
    }));
  }

  private async changesOf(
    organizationIds: readonly Types.ObjectId[],
    requestId: string,
    limit: number,
  ): Promise<SearchResult[]> {
    const [events, reservations] = await Promise.all([
      this.events.ofRequests(organizationIds, [requestId], limit),
      this.reservations.ofRequest(organizationIds, requestId, limit),
    ]);
    const changed = events.map((event): SearchResult => {
      const organizationId = event.organizationId.toHexString();
      const id = objectIdOf(event) ?? '';
      const path = eventPath(event.type, organizationId, id);
      const { createdAt } = event;
      return { kind: 'event', organizationId, name: id, path, details: [event.type], createdAt };
    });
    return [...changed, ...reservations.map(reservationResult)];
  }

  private async deliveriesNamed(
    organizationIds: readonly Types.ObjectId[],
    reference: string,
    limit: number,
  ): Promise<SearchResult[]> {
    const id = parseObjectId(reference);
    const [deliveries, endpoint] = await Promise.all([
      this.deliveries.search(organizationIds, reference, limit),
      id === null ? null : this.endpoints.show(id),
    ]);
    const sent = await Promise.all(
      deliveries.map(async (delivery): Promise<SearchResult> => {
        const to = await this.endpoints.show(delivery.endpointId);
        const url = to === null ? null : maskedUrl(to.shown.url);
        return {
          kind: 'delivery',
          organizationId: delivery.organizationId.toHexString(),
          name: delivery._id.toHexString(),
          path: `/webhooks/deliveries/${delivery._id.toHexString()}`,
          details: [delivery.type, delivery.status, url],
          createdAt: delivery.createdAt,
        };
      }),
    );
    if (endpoint === null) return sent;
    const { _id, organizationId, url, createdAt } = endpoint.shown;
    const path = `/webhooks/${_id}`;
    const details = [maskedUrl(url)];
    return [...sent, { kind: 'endpoint', organizationId, name: _id, path, details, createdAt }];
  }

  /** A key that has not called for four weeks has no page. */
  private async keysNamed(
    organizationIds: readonly Types.ObjectId[],
    reference: string,
  ): Promise<SearchResult[]> {
    const keys = await this.keys.search(organizationIds, reference);
    return Promise.all(
      keys.map(async (key): Promise<SearchResult> => {
        const id = key._id.toHexString();
        const partner = await this.partners.find(id);
        return {
          kind: 'key',
          organizationId: key.organizationId.toHexString(),
          name: key.name || id,
          path: partner === null ? null : `/partners/${id}`,
          details: [key.prefix ?? null, this.keys.stateOf(key)],
          createdAt: key.createdAt,
        };
      }),
    );
  }
}

function reservationResult(reservation: FoundReservation): SearchResult {
  const { _id, organizationId, recordSystemId, status, isDeleted, createdAt } = reservation;
  return {
    kind: 'reservation',
    organizationId,
    name: recordSystemId ?? _id,
    path: recordPath('reservations', organizationId, _id),
    details: [status, isDeleted ? 'deleted' : null],
    createdAt,
  };
}
