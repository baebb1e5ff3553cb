import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { DeletableDocument, notDeleted } from '../../core/database/documents/tenant-document.js';
import { caseCandidates } from '../../core/localization/fold-case.js';

/** A person who may have many leads. */
@Schema({ collection: 'clients' })
export class ClientDocument extends DeletableDocument {
  @Prop({ type: String })
  name?: string | null;

  @Prop({ type: String })
  email?: string | null;

  /** E.164 where the number parses. */
  @Prop({ type: [String] })
  phoneNumbers?: string[] | null;

  /** When its values were removed, because the person wished to be forgotten (rule LEAD-15). */
  @Prop({ type: Date })
  erasedAt?: Date | null;
}

export const clientSchema = SchemaFactory.createForClass(ClientDocument);

const partialFilterExpression = notDeleted;

/** Serves matching a lead to a client by phone. */
clientSchema.index(
  { organizationId: 1, phoneNumbers: 1 },
  { name: 'byPhone', partialFilterExpression },
);
/** Serves matching a lead to a client by email, in any case. */
clientSchema.index(
  { organizationId: 1, email: 1 },
  { name: 'email', collation: caseCandidates, partialFilterExpression },
);
