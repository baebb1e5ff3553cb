import type { Partner } from '../../../usage/partners.service.js';
import type { Translate } from '../../texts/text.js';

const moods: Readonly<Record<Partner['state'], string>> = {
  silent: 'bad',
  failing: 'bad',
  quieter: 'warn',
  busier: 'warn',
  new: 'note',
  usual: 'good',
  ended: 'note',
};

/** What is unusual about a partner, in a word. */
export function PartnerState({
  state,
  text,
}: {
  readonly state: Partner['state'];
  readonly text: Translate;
}) {
  return <span class={moods[state]}>{text(`partners.state.${state}`)}</span>;
}
