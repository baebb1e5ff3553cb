export const eventTypes = [
  'client.created',
  'client.updated',
  'lead.created',
  'lead.updated',
  'lead.deleted',
  'lead.erased',
  'unit.created',
  'unit.updated',
  'unit.deleted',
  'reservation.created',
  'reservation.updated',
  'wallet.created',
  'wallet.updated',
  'wallet.deleted',
  'wallet.restored',
] as const;
export type EventType = (typeof eventTypes)[number];

/** Test events have this type; endpoints cannot subscribe to it. */
export const pingType = 'webhook.ping';

/** Lists all valid subscriptions: all events, those of one kind of object, or a single type. */
export const subscriptions: readonly string[] = [
  '*',
  ...new Set(eventTypes.map((type) => `${kindOf(type)}.*`)),
  ...eventTypes,
];

export function isSubscribedTo(subscribed: readonly string[], type: string): boolean {
  return [type, `${kindOf(type)}.*`, '*'].some((pattern) => subscribed.includes(pattern));
}

function kindOf(type: string): string {
  return type.slice(0, type.indexOf('.'));
}
