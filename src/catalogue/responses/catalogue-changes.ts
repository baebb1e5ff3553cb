import { Injectable } from '@nestjs/common';

/**
 * Knows for each organization since when nothing has changed that responses about compounds and units
 * show, whichever program writes. Moments are numbers that grow with every change.
 */
@Injectable()
export class CatalogueChanges {
  /** The present moment; null while changes may go unnoticed for longer than a second. */
  now(): number | null {
    return null;
  }

  /** Whether nothing that an organization's responses show is known to have changed since a moment. */
  isUnchangedSince(_organizationId: string, _moment: number): boolean {
    return false;
  }
}
