/**
 * Each action, and the kind of record whose id its entry has: for a creation the organization, because the new record
 * does not exist yet.
 */
export const operatorActions = {
  'catalogue.import': 'organization',
  'database.prepare': 'database',
  'delivery.replay': 'delivery',
  'delivery.show': 'delivery',
  'endpoint.add': 'organization',
  'endpoint.disable': 'endpoint',
  'endpoint.enable': 'endpoint',
  'endpoint.remove': 'endpoint',
  'endpoint.replay': 'endpoint',
  'endpoint.rotate_secret': 'endpoint',
  'endpoint.test': 'endpoint',
  'endpoint.update': 'endpoint',
  'erasures.reapply': 'database',
  'erasures.show': 'database',
  'key.issue': 'organization',
  'key.limit': 'key',
  'key.revoke': 'key',
  'key.rotate': 'key',
  'key.update': 'key',
  'lead.erase': 'lead',
  'lead.show': 'lead',
  'leads.import': 'organization',
  'organization.create': 'organization',
  'organization.update': 'organization',
  'sandbox.create': 'organization',
  'sandbox.reset': 'organization',
  'secrets.reseal': 'database',
} as const;

export type OperatorAction = keyof typeof operatorActions;

export type OperatorSubject = (typeof operatorActions)[OperatorAction];
