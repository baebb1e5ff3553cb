export type EndpointState = 'works' | 'failing' | 'paused' | 'disabled' | 'faulty' | 'unused';

interface StateFields {
  readonly isEnabled: boolean;
  readonly fault: string | null;
  readonly pausedUntil: Date | null;
  readonly failingSince: Date | null;
  readonly lastFailure: object | null;
  readonly lastSuccessAt: Date | null;
}

/** A paused endpoint waits because its receiver has asked for it, although its last attempt has failed. */
export function endpointState(
  { isEnabled, fault, pausedUntil, failingSince, lastFailure, lastSuccessAt }: StateFields,
  now: Date,
): EndpointState {
  if (!isEnabled) return 'disabled';
  if (fault !== null) return 'faulty';
  if (pausedUntil !== null && pausedUntil > now) return 'paused';
  if (failingSince !== null) return 'failing';
  return lastFailure === null && lastSuccessAt === null ? 'unused' : 'works';
}
