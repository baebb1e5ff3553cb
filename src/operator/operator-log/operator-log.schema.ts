import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import type { OperatorAction, OperatorSubject } from './operator-actions.js';
import { addTtlIndex, TenantDocument } from '../../core/database/documents/tenant-document.js';

/** Contains only ids, so that it may be kept after an erasure. */
@Schema({ collection: 'operatorLog' })
export class OperatorLogDocument extends TenantDocument {
  /** Unique, so that a form that is sent twice has one effect. */
  @Prop({ type: String, required: true })
  formId!: string;

  /** Earlier versions stored a verb alone, such as `show`. */
  @Prop({ type: String, required: true })
  action!: OperatorAction;

  @Prop({ type: String, required: true })
  subject!: OperatorSubject;

  @Prop({ type: String, required: true })
  subjectId!: string;

  /** Details, such as the times of a replay. */
  @Prop({ type: String })
  details!: string | null;

  /** `command line` for commands, whose session is user and host. */
  @Prop({ type: String })
  address!: string;

  @Prop({ type: String })
  session!: string;

  /** `begun` means in progress or interrupted. */
  @Prop({ type: String, required: true })
  result!: 'begun' | 'done' | 'failed';

  @Prop({ type: Number })
  count!: number | null;
}

export const operatorLogSchema = SchemaFactory.createForClass(OperatorLogDocument);

operatorLogSchema.index({ organizationId: 1, formId: 1 }, { name: 'form', unique: true });
addTtlIndex(
  operatorLogSchema,
  { createdAt: 1 },
  { kind: 'operator log', setting: 'OPERATOR_LOG_RETENTION_DAYS' },
);
