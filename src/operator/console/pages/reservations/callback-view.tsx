import type { ComponentChildren } from 'preact';
import type {
  ReservationHistory,
  ShownCallback,
} from '../../../../reservations/reading/reservation-history.service.js';
import type { InspectedReservation } from '../../../../reservations/reading/reservations.service.js';
import type { ApiKeysService } from '../../../../tenants/keys/api-keys.service.js';
import { recordPath } from '../../../views/field.js';
import { callbackFields } from '../../../views/reservation.js';
import { useReader } from '../page.js';
import { FieldList } from '../shared/fields.js';
import { ValueChange, Code, Link } from '../shared/parts.js';

export interface CallbackViewProps {
  readonly reservation: InspectedReservation;
  readonly history: ReservationHistory;
  readonly keys: Awaited<ReturnType<ApiKeysService['list']>>;
}

export function Callback({
  callback,
  ...shown
}: CallbackViewProps & { readonly callback: ShownCallback }) {
  const { text } = useReader();
  const { outcome, otherFields } = callback;
  const { status } = outcome;
  const isRefused = status >= 400;
  const key = shown.keys.find(({ _id }) => _id.toHexString() === callback.apiKeyId)?.name;
  return (
    <div>
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
          ...(outcome.errorCode === 'unit.already_reserved'
            ? [{ title: 'reservation.blockedBy' as const, show: () => <BlockedBy {...shown} /> }]
            : []),
          { title: 'reservation.did', show: () => <Effects outcome={outcome} /> },
          { title: 'shared.key', kind: 'text', of: ({ apiKeyId }) => key ?? apiKeyId },
          callbackFields.request,
        ]}
        item={callback}
      />
    </div>
  );
}

/** The reservation that blocked this one; it may be canceled by now, then the unit, which lists all. */
function BlockedBy({
  reservation: { organizationId, unitId },
  history: { approvedOthers },
}: CallbackViewProps) {
  const paths = approvedOthers.map((id) => recordPath('reservations', organizationId, id));
  const ofUnit = unitId === null ? [] : [recordPath('units', organizationId, unitId)];
  return (paths.length > 0 ? paths : ofUnit).map((path) => (
    <Link key={path} to={path}>
      <Code>{path.split('/').at(-1)}</Code>
    </Link>
  ));
}

function Effects({ outcome }: Pick<ShownCallback, 'outcome'>) {
  const { text } = useReader();
  const { reservation, cheque, effects, status } = outcome;
  if (effects === undefined) {
    if (status >= 400) return <>{text('reservation.didNothing')}</>;
    return <>{text('reservation.didUnknown', { reservation, cheque })}</>;
  }
  const changes = [
    ['shared.reservation', effects.reservation],
    ['reservation.cheque', effects.cheque],
    ['shared.unit', effects.unit],
  ] as const;
  const lines: ComponentChildren[] = [
    ...changes.flatMap(([title, change]) =>
      change === undefined ? [] : [[`${text(title)} `, <ValueChange {...change} />]],
    ),
    ...(effects.wallet === undefined ? [] : [text(`reservation.didWallet.${effects.wallet}`)]),
    ...(reservation === 'ignored' ? [text('reservation.didIgnored')] : []),
    ...(cheque === 'skipped' ? [text('reservation.didSkipped')] : []),
  ];
  if (lines.length === 0) return <>{text('reservation.didNothing')}</>;
  return (
    <ul class="plain">
      {lines.map((line, index) => (
        <li key={index}>{line}</li>
      ))}
    </ul>
  );
}
