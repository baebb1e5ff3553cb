import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { defaultLanguage } from '../../core/localization/language.js';
import { dayMs } from '../../core/values/time.js';
import { LeadBatchesService } from '../../leads/lead-batches.service.js';
import { CallbacksService } from '../../reservations/callback/callbacks.service.js';
import { isOpenReservation } from '../../reservations/reservation-status.js';
import { ReservationUpsertsService } from '../../reservations/upsert/reservation-upserts.service.js';
import type { Caller } from '../../tenants/keys/caller.js';
import type { Organization } from '../../tenants/organizations/organization.js';
import type { ImportError } from '../catalogue-import/catalogue-file.js';
import { CatalogueImportsService } from '../catalogue-import/catalogue-imports.service.js';
import { sandboxLeads, sandboxReservationId, sandboxReservations } from './sandbox-contents.js';

type SandboxReservation = (typeof sandboxReservations)[number];

/** Maps external ids of reservations to their ids, by which callbacks name them. */
export type SandboxReservationIds = Readonly<Record<string, string>>;

/** Keys that the contents name as their origin. */
export interface OriginKeys {
  readonly platform: Types.ObjectId;
  readonly collector: Types.ObjectId;
}

/** Stands in the catalogue for the address of the service, which serves its pictures. */
const pictureHost = 'https://cdn.example.com';

/** Stores the contents as partners would send them, so that events, histories and logs exist (rule OPS-38). */
@Injectable()
export class SandboxFillingService {
  constructor(
    private readonly imports: CatalogueImportsService,
    private readonly leads: LeadBatchesService,
    private readonly reservations: ReservationUpsertsService,
    private readonly callbacks: CallbacksService,
    private readonly clock: Clock,
  ) {}

  /** @throws Error when the contents cannot be stored with this address; a reset must then delete nothing */
  async check(url: string): Promise<void> {
    assertImportable(await this.imports.check(catalogueAt(url)));
  }

  /**
   * @param url address of the service without a slash at the end
   * @param onStep called after each transaction; its error ends the work
   */
  async fill(
    organization: Organization,
    url: string,
    keys: OriginKeys,
    onStep: () => Promise<void>,
  ): Promise<SandboxReservationIds> {
    const caller = (apiKeyId: Types.ObjectId) => callerOf(organization, apiKeyId);
    await this.importCatalogue(organization._id, url);
    await onStep();
    await this.addLeads(caller(keys.platform));
    await onStep();
    const added = await Promise.allSettled(
      sandboxReservations.map(async (reservation) => {
        const recordSystemId = sandboxReservationId(reservation.status);
        const named = { recordSystemId, ...reservation };
        const _id = await this.addReservation(named, caller(keys.platform));
        await this.report(reservation, _id, caller(keys.collector));
        await this.end(named, caller(keys.platform));
        return [recordSystemId, _id] as const;
      }),
    );
    await onStep();
    // All have ended, so that nothing is stored after a failure.
    return Object.fromEntries(
      added.map((result) => {
        if (result.status === 'rejected') throw result.reason;
        return result.value;
      }),
    );
  }

  private async importCatalogue(organizationId: Types.ObjectId, url: string): Promise<void> {
    const { errors } = await this.imports.import(organizationId, catalogueAt(url));
    assertImportable(errors);
  }

  private async addLeads(caller: Caller): Promise<void> {
    const { results } = await this.leads.upsertAll(caller, { leads: sandboxLeads });
    const refused = results.find(({ errorCode }) => errorCode !== undefined);
    if (refused === undefined) return;
    throw new Error(`A lead cannot be stored: ${[refused.message ?? []].flat().join('; ')}`);
  }

  private async addReservation(
    { recordSystemId, status, unit, lead, cheques }: SandboxReservation & Named,
    caller: Caller,
  ): Promise<string> {
    const now = this.clock.now().getTime();
    const { body } = await this.reservations.upsert(caller, {
      recordSystemId,
      unit,
      lead: { recordSystemId: lead },
      status: status === 'pending' ? status : 'pending_cheque_collection',
      partnerCollection: true,
      cheques: cheques.map(({ dueInDays, reported: _reported, ...cheque }) => ({
        ...cheque,
        dueDate: new Date(now + dueInDays * dayMs),
      })),
    });
    return body.reservation._id;
  }

  private async report(
    { cheques }: SandboxReservation,
    reservationId: string,
    caller: Caller,
  ): Promise<void> {
    for (const { installmentId, reported = [] } of cheques) {
      for (const chequeStatus of reported) {
        const body = { reservationId, installmentId, chequeStatus };
        await this.callbacks.handle(caller, body, { id: caller.requestId, body });
      }
    }
  }

  /** Callbacks approve and cancel; the platform itself rejects a reservation or lets it expire. */
  private async end({ recordSystemId, status }: SandboxReservation & Named, caller: Caller) {
    const isEndedByCallback = status === 'approved' || status === 'canceled';
    if (isOpenReservation(status) || isEndedByCallback) return;
    await this.reservations.upsert(caller, { recordSystemId, status });
  }
}

function catalogueAt(url: string): string {
  const file = readFileSync(join(import.meta.dirname, 'catalogue.ndjson'), 'utf8');
  return file.replaceAll(pictureHost, () => url);
}

function assertImportable([first]: readonly ImportError[]): void {
  if (first === undefined) return;
  throw new Error(`The catalogue cannot be imported: ${first.location} ${first.message}.`);
}

interface Named {
  readonly recordSystemId: string;
}

function callerOf(organization: Organization, apiKeyId: Types.ObjectId): Caller {
  return {
    organizationId: organization._id,
    organization,
    apiKeyId,
    permissionsJson: '',
    requestId: `sandbox-${randomUUID()}`,
    language: defaultLanguage,
  };
}
