import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { TenantCache } from '../../core/cache/tenant-cache.js';
import { Clock } from '../../core/configuration/clock.js';
import { notDeleted } from '../../core/database/documents/tenant-document.js';
import { Transactions } from '../../core/database/transactions/transactions.js';
import { present } from '../../core/fields/declared-fields.js';
import { dayMs } from '../../core/values/time.js';
import { fitsInEvent, Outbox, type OutboundEvent } from '../../events/outbox/outbox.js';
import { leadEvent } from '../../leads/lead-changes.js';
import type { LeadDocument } from '../../leads/lead.schema.js';
import { ChequeWalletDocument } from '../../reservations/cheques/cheque-wallet.schema.js';
import { type UnitDocument, UnitWritesService } from '../../units/writing/unit-writes.service.js';
import {
  modelsTreatedAs,
  type ResetModel,
  SandboxRecordsRepository,
} from './sandbox-records.repository.js';

/** Documents of one transaction, fewer if they are large; their events are as large. */
const publishedPerBatch = 25;
const deletedPerBatch = 500;
const maxPasses = 2;
/** Readers of changes learn of a retired record in this time, in ms; then the next reset deletes it. */
const retiredMs = dayMs;

/**
 * Removes the contents of a sandbox in repeatable steps. A request that runs meanwhile conflicts and is retried by the
 * service, so it succeeds or does not find its record (rule OPS-39).
 */
@Injectable()
export class SandboxEmptyingService {
  constructor(
    private readonly records: SandboxRecordsRepository,
    private readonly transactions: Transactions,
    private readonly units: UnitWritesService,
    private readonly outbox: Outbox,
    private readonly cache: TenantCache,
    private readonly clock: Clock,
  ) {}

  /** @param onStep called after each batch; its error ends the work */
  async empty(organizationId: Types.ObjectId, onStep: () => Promise<void>): Promise<void> {
    const requestId = `sandbox-reset-${organizationId.toHexString()}`;
    let steps = 0;
    const end = async () => {
      steps += 1;
      this.cache.invalidate(organizationId);
      await onStep();
    };
    await this.deleteRetired(organizationId, end);
    // Requests may add records while the first pass runs.
    for (let pass = 0; pass < maxPasses; pass++) {
      const before = steps;
      await this.publishAll(organizationId, requestId, end);
      for (const model of modelsTreatedAs('deleted')) {
        await this.deleteAll(model, organizationId, filterOf(model), end);
      }
      if (steps === before) return;
    }
  }

  private async publishAll(
    organizationId: Types.ObjectId,
    requestId: string,
    onStep: () => Promise<void>,
  ): Promise<void> {
    const steps = [
      () => this.deleteWallets(organizationId, requestId),
      () => this.retireAll('Reservation', organizationId),
      () => this.retireLeads(organizationId, requestId),
      () => this.retireUnits(organizationId, requestId),
      () => this.retireAll('Compound', organizationId),
    ];
    for (const step of steps) {
      while ((await this.transactions.run(step)) > 0) await onStep();
    }
  }

  private async deleteWallets(organizationId: Types.ObjectId, requestId: string): Promise<number> {
    const wallets = await this.records.find<ChequeWalletDocument>(
      'ChequeWallet',
      organizationId,
      {},
      publishedPerBatch,
    );
    const now = this.clock.now();
    const events = wallets
      .filter(({ isDeleted }) => !isDeleted)
      .map((wallet): OutboundEvent => {
        const deleted = { ...wallet, isDeleted: true, deletedAt: now, updatedAt: now };
        return { type: 'wallet.deleted', data: present(ChequeWalletDocument, deleted), requestId };
      });
    await this.deletePublished('ChequeWallet', organizationId, wallets, events);
    return wallets.length;
  }

  private async retireLeads(organizationId: Types.ObjectId, requestId: string): Promise<number> {
    const leads = await this.records.find<LeadDocument>(
      'Lead',
      organizationId,
      notDeleted,
      publishedPerBatch,
    );
    const now = this.clock.now();
    const ids = leads.map(({ _id }) => _id);
    if (ids.length > 0) await this.records.retire('Lead', organizationId, ids, now);
    await this.publish(
      organizationId,
      leads.map((lead) => leadEvent('delete', lead, [], requestId)),
    );
    return leads.length;
  }

  private async deletePublished(
    model: ResetModel,
    organizationId: Types.ObjectId,
    documents: readonly { readonly _id: Types.ObjectId }[],
    events: readonly OutboundEvent[],
  ): Promise<void> {
    const ids = documents.map(({ _id }) => _id);
    if (ids.length === 0) return;
    await this.records.delete(model, organizationId, ids);
    await this.publish(organizationId, events);
  }

  private async publish(
    organizationId: Types.ObjectId,
    events: readonly OutboundEvent[],
  ): Promise<void> {
    // Another program may have stored a document that no event can contain.
    const sendable = events.filter(({ data }) => fitsInEvent(data, () => data));
    await this.outbox.publish(organizationId, sendable, this.clock.now());
  }

  private async retireUnits(organizationId: Types.ObjectId, requestId: string): Promise<number> {
    const units = await this.records.find<UnitDocument>(
      'Unit',
      organizationId,
      notDeleted,
      publishedPerBatch * 2,
    );
    const now = this.clock.now();
    const changes = units.map((before) => {
      const after = { ...before, isDeleted: true, deletedAt: now, updatedAt: now };
      return { before, after, requestId };
    });
    if (changes.length > 0) await this.units.store(organizationId, changes, now);
    return units.length;
  }

  private async retireAll(
    model: 'Compound' | 'Reservation',
    organizationId: Types.ObjectId,
  ): Promise<number> {
    const ids = await this.records.findIds(model, organizationId, notDeleted, deletedPerBatch);
    if (ids.length > 0) await this.records.retire(model, organizationId, ids, this.clock.now());
    return ids.length;
  }

  private async deleteRetired(
    organizationId: Types.ObjectId,
    onStep: () => Promise<void>,
  ): Promise<void> {
    const before = new Date(this.clock.now().getTime() - retiredMs);
    for (const model of modelsTreatedAs('retired')) {
      const filter = { isDeleted: true, updatedAt: { $lt: before } };
      await this.deleteAll(model, organizationId, filter, onStep);
    }
  }

  private async deleteAll(
    model: ResetModel,
    organizationId: Types.ObjectId,
    filter: object,
    onStep: () => Promise<void>,
  ): Promise<void> {
    for (;;) {
      const ids = await this.records.findIds(model, organizationId, filter, deletedPerBatch);
      if (ids.length === 0) return;
      await this.records.delete(model, organizationId, ids);
      await onStep();
    }
  }
}

/** A request in progress needs its record, in which it stores its response. */
function filterOf(model: ResetModel): object {
  return model === 'IdempotencyRecord' ? { response: { $exists: true } } : {};
}
