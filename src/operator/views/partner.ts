import type { Partner } from '../usage/partners.service.js';
import type { Field, Mood } from './field.js';

const moods: Readonly<Record<Partner['state'], Mood>> = {
  silent: 'bad',
  failing: 'bad',
  quieter: 'warn',
  busier: 'warn',
  new: 'note',
  usual: 'good',
  ended: 'note',
};

export const partnerFields: readonly Field<Partner>[] = [
  { title: 'shared.organization', kind: 'text', of: ({ organizationName }) => organizationName },
  {
    title: 'shared.state',
    kind: 'status',
    of: ({ state }) => `partners.state.${state}` as const,
    mood: ({ state }) => moods[state],
  },
  { title: 'partners.lastCall', kind: 'time', of: ({ lastCallAt }) => lastCallAt },
  { title: 'partners.day', kind: 'number', of: ({ calls }) => calls },
  { title: 'partners.usual', kind: 'number', of: ({ usualCalls }) => usualCalls },
  { title: 'partners.errors', kind: 'number', of: ({ errors }) => errors },
];

/** A partner in a list. */
export const partnerListFields: readonly Field<Partner>[] = [
  {
    title: 'shared.key',
    kind: 'text',
    of: ({ name }) => name,
    to: ({ keyId }) => `/partners/${keyId}`,
  },
  ...partnerFields,
];
