import { NotLoadedError } from '../../tenants/clients/client-records.js';
import { decideLead } from './decide-lead.js';
import type { LeadOutcome, LeadRequest } from './lead-decision.js';
import type { LeadRecords } from './lead-records.js';

/**
 * Decides requests one after the other, each over what those before it left, until there is enough to store.
 *
 * @param bytesLimit when decisions change more than that, the rest is left for the next time
 * @throws NotLoadedError when the records lack something that a request asks for
 */
export function decideAll(
  records: LeadRecords,
  requests: readonly LeadRequest[],
  now: Date,
  bytesLimit: number,
): LeadOutcome[] {
  const outcomes: LeadOutcome[] = [];
  let bytes = 0;
  for (const request of requests) {
    if (bytes > bytesLimit) break;
    if (request.refusal !== undefined) {
      outcomes.push({ status: 'rejected', reason: request.refusal });
      continue;
    }
    try {
      const value = decideLead(records, request, now);
      records.put(value);
      bytes += value.bytes;
      outcomes.push({ status: 'fulfilled', value });
    } catch (reason) {
      if (reason instanceof NotLoadedError) throw reason;
      outcomes.push({ status: 'rejected', reason });
    }
  }
  return outcomes;
}
