import { idOf, numberOf, textOf } from '../../database/documents/stored-values.js';
import type { Language } from '../../localization/language.js';
import { textIn } from '../../localization/localized.js';
import {
  type PresentedBrochure,
  type PresentedMedia,
  type PresentedRecord,
  presentBrochures,
  presentMedia,
  presentRecord,
} from '../presenting/catalogue.presenter.js';
import type { PhaseDocument } from '../collections/phase.schema.js';

/** A phase as the API shows it (section 2.7). */
export interface PresentedPhase extends PresentedRecord {
  readonly organizationId: string;
  readonly parentId: string;
  readonly type: string;
  readonly landArea: number;
  readonly mainImageUrl: string;
  readonly media: readonly PresentedMedia[];
  readonly brochures: readonly PresentedBrochure[];
  readonly name: string;
  readonly slug: string;
  readonly description: string;
}

/** What leaves the service of a phase. */
export function presentPhase(phase: PhaseDocument, language: Language): PresentedPhase {
  return {
    ...presentRecord(phase),
    organizationId: idOf(phase.organizationId),
    parentId: idOf(phase.parentId),
    type: textOf(phase.type),
    landArea: numberOf(phase.landArea),
    mainImageUrl: textOf(phase.mainImageUrl),
    media: presentMedia(phase.media),
    brochures: presentBrochures(phase.brochures),
    name: textIn(phase.name, language),
    slug: textOf(phase.slug),
    description: textIn(phase.description, language),
  };
}
