import { Schema, SchemaType } from 'mongoose';

/** A field whose value Mongoose neither casts nor copies, because its keys may have any name. */
export class FreeFormType extends SchemaType {
  constructor(path: string, options: object) {
    super(path, options, 'FreeFormType');
  }

  override cast(value: unknown): unknown {
    return value;
  }

  override toJSONSchema(): Record<string, never> {
    return {};
  }
}

Object.assign(Schema.Types, { FreeFormType });

class ByReference {
  constructor(private readonly value: unknown) {}

  toBSON(): unknown {
    return this.value;
  }
}

/** Lets an update store a free-form value: Mongoose copies updates and would drop keys such as `__proto__`. */
export function byReference<T>(value: T): T {
  return typeof value === 'object' && value !== null ? (new ByReference(value) as T) : value;
}
