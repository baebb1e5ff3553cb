import type { ComponentChildren } from 'preact';
import type {
  ReservationDetails,
  ReservationHistory,
  CallbackEntry,
} from '../../../../reservations/reading/reservation-lookup.service.js';
import type { ApiKeysService } from '../../../../tenants/keys/api-keys.service.js';
import { recordPath } from '../../../views/view-field.js';
import { callbackFields } from '../../../views/reservation.js';
import { type RenderContext, useRenderContext } from '../page.js';
import { FieldList, Lines } from '../shared/tables.js';
import { ValueChange, Code, Link } from '../shared/components.js';

export interface CallbackContext {
  readonly reservation: ReservationDetails;
  readonly history: ReservationHistory;
  readonly keys: Awaited<ReturnType<ApiKeysService['list']>>;
}

export function Callback({
  callback,
  keys,
  ...context
}: CallbackContext & { readonly callback: CallbackEntry }) {
  const { text } = useRenderContext();
  const { outcome, otherFields } = callback;
  const { status } = outcome;
  const isRefused = status >= 400;
  const key = keys.find(({ _id }) => _id.toHexString() === callback.apiKeyId)?.name;
  return (
    <>
      <p>
        <b>{text('reservation.callback')}</b>{' '}
        <span class={isRefused ? 'bad' : 'good'}>
          {text(isRefused ? 'reservation.refused' : 'reservation.accepted', { status })}
        </span>
      </p>
      <FieldList
        fields={[
          callbackFields.sent,
          ...(otherFields > 0 ? [callbackFields.otherFields] : []),
          ...(outcome.messages.length > 0 ? [callbackFields.why] : []),
          {
            title: 'reservation.blockedBy',
            show: () => outcome.errorCode === 'unit.already_reserved' && blockedBy(context),
          },
          { title: 'reservation.did', show: effectsOf },
          { title: 'shared.key', kind: 'text', of: ({ apiKeyId }) => key ?? apiKeyId },
          callbackFields.request,
        ]}
        item={callback}
      />
    </>
  );
}

/** Links the blocking reservation or, if it has been canceled since, the unit, which lists all. */
function blockedBy({
  reservation: { organizationId, unitId },
  history: { approvedOthers },
}: Omit<CallbackContext, 'keys'>) {
  const ids = approvedOthers.length > 0 ? approvedOthers : [unitId ?? ''];
  const kind = approvedOthers.length > 0 ? 'reservation' : 'unit';
  return ids.map((id) => (
    <Link key={id} to={recordPath(kind, organizationId, id) ?? ''}>
      <Code>{id}</Code>
    </Link>
  ));
}

function effectsOf({ outcome }: CallbackEntry, { text }: RenderContext) {
  const { reservation, cheque, effects, status } = outcome;
  if (effects === undefined && status < 400)
    return text('reservation.didUnknown', { reservation, cheque });
  const changes = [
    ['shared.reservation', effects?.reservation],
    ['reservation.cheque', effects?.cheque],
    ['shared.unit', effects?.unit],
  ] as const;
  const lines: ComponentChildren[] = changes.flatMap(([title, change]) =>
    change === undefined ? [] : [[`${text(title)} `, <ValueChange {...change} />]],
  );
  if (effects?.wallet === 'deleted') lines.push(text('reservation.walletDeleted'));
  if (effects?.wallet === 'restored') lines.push(text('reservation.walletRestored'));
  if (effects && reservation === 'ignored') lines.push(text('reservation.didIgnored'));
  if (effects && cheque === 'skipped') lines.push(text('reservation.didSkipped'));
  return <Lines lines={lines.length > 0 ? lines : [text('reservation.didNothing')]} />;
}
