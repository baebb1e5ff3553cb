import { Reflector } from '@nestjs/core';

/** Marks an endpoint that needs no API key. */
export const Public = Reflector.createDecorator<void, true>({ transform: () => true });
