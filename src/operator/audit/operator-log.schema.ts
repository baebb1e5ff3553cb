import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { expireAfter, TenantDocument } from '../../core/database/documents/tenant-document.js';
import type { ViewText } from '../views/texts.js';

type NameIn<Text, Group extends string> = Text extends `${Group}.${infer Name}` ? Name : never;

/** Actions in the console or on the command line (rule OPS-31). */
export type OperatorAction = NameIn<ViewText, 'log.action'>;

/** For a new record its organization, because the record does not exist before. */
export type OperatorSubject =
  'database' | 'organization' | 'key' | 'lead' | 'reservation' | 'delivery' | 'endpoint';

/** An action of the operator, with ids only, so that it may be kept after an erasure. */
@Schema({ collection: 'operatorLog' })
export class OperatorLogDocument extends TenantDocument {
  /** A form that is sent twice is carried out once. */
  @Prop({ type: String, required: true })
  formId!: string;

  @Prop({ type: String, required: true })
  action!: OperatorAction;

  @Prop({ type: String, required: true })
  subject!: OperatorSubject;

  @Prop({ type: String, required: true })
  subjectId!: string;

  /** Such as the times of a replay. */
  @Prop({ type: String })
  details!: string | null;

  /** On the command line `command line`, and user and host in place of a session. */
  @Prop({ type: String })
  address!: string;

  @Prop({ type: String })
  session!: string;

  /** `begun`: in progress, or interrupted. */
  @Prop({ type: String, required: true })
  result!: 'begun' | 'done' | 'failed';

  @Prop({ type: Number })
  count!: number | null;
}

export const operatorLogSchema = SchemaFactory.createForClass(OperatorLogDocument);

operatorLogSchema.index({ organizationId: 1, formId: 1 }, { name: 'form', unique: true });
expireAfter(
  operatorLogSchema,
  { createdAt: 1 },
  { kind: 'operator log', setting: 'OPERATOR_LOG_RETENTION_DAYS' },
);
