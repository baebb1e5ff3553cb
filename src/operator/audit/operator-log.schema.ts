import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { removeAfter } from '../../core/database/structure/retention.js';
import { TenantDocument } from '../../core/database/documents/tenant-document.js';

/** What the operator can do in the console or on the command line that is more than looking (rule OPS-31). */
export type OperatorAction =
  | 'show'
  | 'erase'
  | 'create'
  | 'prepare'
  | 'reseal'
  | 'import'
  | 'replay'
  | 'test'
  | 'add'
  | 'update'
  | 'enable'
  | 'disable'
  | 'remove'
  | 'rotate'
  | 'issue'
  | 'limit'
  | 'revoke';

/** What it is done to; what is added or issued is not there before, its organization is. */
export type OperatorSubject =
  'database' | 'organization' | 'key' | 'lead' | 'reservation' | 'delivery' | 'endpoint';

/** How it ended; `begun` is what is under way, or was cut short. */
export type OperatorResult = 'begun' | 'done' | 'failed';

/** Something that the operator did; ids only, so that it outlives what it is about. */
@Schema({ collection: 'operatorLog' })
export class OperatorLogDocument extends TenantDocument {
  /** Of the form that asked for it: sent twice, it is done once. */
  @Prop({ type: String, required: true })
  formId!: string;

  @Prop({ type: String, required: true })
  action!: OperatorAction;

  @Prop({ type: String, required: true })
  subject!: OperatorSubject;

  @Prop({ type: String, required: true })
  subjectId!: string;

  /** What of it, such as the times of a replay. */
  @Prop({ type: String })
  details!: string | null;

  /** From where, and in which session; on the command line the user and the machine. */
  @Prop({ type: String })
  address!: string;

  @Prop({ type: String })
  session!: string;

  @Prop({ type: String, required: true })
  result!: OperatorResult;

  /** How many were affected; null where that means nothing. */
  @Prop({ type: Number })
  count!: number | null;
}

export const operatorLogSchema = SchemaFactory.createForClass(OperatorLogDocument);

/** A form is carried out once. */
operatorLogSchema.index({ organizationId: 1, formId: 1 }, { name: 'form', unique: true });
removeAfter(
  operatorLogSchema,
  { createdAt: 1 },
  { kind: 'operator log', setting: 'OPERATOR_LOG_RETENTION_DAYS' },
);
