import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { DeletableDocument, notDeleted } from '../../core/database/documents/tenant-document.js';
import { caseInsensitive } from '../../core/localization/fold-case.js';

@Schema({ collection: 'clients' })
export class ClientDocument extends DeletableDocument {
  @Prop({ type: String })
  name?: string | null;

  @Prop({ type: String })
  email?: string | null;

  /** Phones are stored as E.164 if they parse. */
  @Prop({ type: [String] })
  phoneNumbers?: string[] | null;

  /** The rule by which `phoneNumbers` were read; it is missing after an insert of another program. */
  @Prop({ type: String })
  phoneRule?: string;

  @Prop({ type: Date })
  erasedAt?: Date | null;
}

export const clientSchema = SchemaFactory.createForClass(ClientDocument);

const partialFilterExpression = notDeleted;

clientSchema.index(
  { organizationId: 1, phoneNumbers: 1 },
  { name: 'byPhone', partialFilterExpression },
);
/** Serves the background job across organizations: clients whose phones were not read by this rule. */
clientSchema.index({ phoneRule: 1, _id: 1 }, { name: 'phoneRule', partialFilterExpression });
clientSchema.index(
  { organizationId: 1, email: 1 },
  { name: 'email', collation: caseInsensitive, partialFilterExpression },
);
