import { BSON } from 'mongodb';
import type { FieldChange } from '../tenants/change-log/field-changes.js';
import { DomainError } from '../core/http/errors/domain-error.js';
import { mebibyte } from '../core/values/numbers.js';
import { leadErrors } from './lead-errors.js';
import type { MergedLead } from './lead-merge.js';

/**
 * Largest `data` and `additionalData` of a lead together, in MiB as stored. An event holds them and,
 * with every change, what was there before and after: all of it has to fit into one document of the
 * database, which ends at 16 MiB.
 */
const leadLimit = 4;
const changesLimit = 8;

/** The size in bytes. @throws DomainError 400 for a lead that would outgrow its events */
export function assertLeadSize({ data, additionalData }: MergedLead): number {
  const size = sizeOf({ data, additionalData });
  if (size > leadLimit * mebibyte) throw new DomainError(leadErrors.tooLarge, { limit: leadLimit });
  return size;
}

/** The size in bytes. @throws DomainError 400 for changes that together would outgrow an event */
export function assertChangesSize(changes: readonly FieldChange[]): number {
  const size = sizeOf({ changes });
  if (size > changesLimit * mebibyte) throw new DomainError(leadErrors.tooManyChanges);
  return size;
}

function sizeOf(document: object): number {
  return BSON.calculateObjectSize(document);
}
