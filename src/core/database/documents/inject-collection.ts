import { Inject } from '@nestjs/common';

/** Injects the collection that TenantCollectionsModule has registered under the name. */
export function InjectCollection(name: string): ParameterDecorator {
  return Inject(collectionToken(name));
}

/** The injection token of a collection. */
export function collectionToken(name: string): string {
  return `${name}Collection`;
}
