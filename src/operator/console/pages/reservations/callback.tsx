import { closestMatch } from 'leven';
import type { ComponentChildren } from 'preact';
import {
  type CallbackEntry,
  callbackFieldNames,
  type ReservationDetails,
  type ReservationHistory,
} from '../../../../reservations/reading/reservation-lookup.service.js';
import type { ApiKeysService } from '../../../../tenants/keys/api-keys.service.js';
import { recordPath, type Severity } from '../../../views/view-field.js';
import { callbackFields } from '../../../views/reservation.js';
import { Badge, Link, ValueChange } from '../../components/components.js';
import { ErrorMeaning } from '../../components/error-meaning.js';
import { FieldList, Lines } from '../../components/tables.js';

export interface CallbackContext {
  readonly reservation: ReservationDetails;
  readonly history: ReservationHistory;
  readonly keys: Awaited<ReturnType<ApiKeysService['list']>>;
  /** Names of ignored fields by the ids of key and request, as far as the request log has them. */
  readonly ignored: ReadonlyMap<string, readonly string[]>;
}

/** @returns why the callback did not do what its partner wanted; null if it did */
export function problemOf({ outcome }: CallbackEntry): 'refused' | 'changed nothing' | null {
  if (outcome.status >= 400) return 'refused';
  const { reservation, cheque, effects = {} } = outcome;
  const isApplied = reservation === 'applied' || cheque === 'applied';
  return isApplied || Object.values(effects).some(Boolean) ? null : 'changed nothing';
}

export function callbackLine(
  callback: CallbackEntry,
  context: CallbackContext,
): readonly ComponentChildren[] {
  const { outcome, payload } = callback;
  const problem = problemOf(callback);
  const severities: Readonly<Record<string, Severity>> = {
    refused: 'bad',
    'changed nothing': 'warn',
  };
  const subject = [payload['reservationStatus'], payload['installmentId'], payload['chequeStatus']];
  return [
    <Badge severity={problem === null ? 'good' : severities[problem]}>
      {outcome.status} {problem ?? 'applied'}
    </Badge>,
    keyName(callback, context),
    subject.filter((value) => typeof value === 'string').join(' '),
    outcome.messages.join(' '),
  ];
}

export function CallbackDetails({
  callback,
  ...context
}: CallbackContext & { readonly callback: CallbackEntry }) {
  const { apiKeyId, outcome, otherFields, requestId } = callback;
  const unknown = context.ignored.get(`${apiKeyId} ${requestId}`) ?? [];
  return (
    <>
      {outcome.messages.length > 0 && <p class="h3">{outcome.messages.join(' ')}</p>}
      {outcome.errorCode !== null && <ErrorMeaning code={outcome.errorCode} />}
      {problemOf(callback) === 'changed nothing' && <Ineffective {...callback} unknown={unknown} />}
      <FieldList
        fields={[
          { title: 'Response', kind: 'number', of: () => outcome.status },
          { title: 'Error code', kind: 'code', of: () => outcome.errorCode },
          callbackFields.sent,
          {
            title: 'Ignored fields',
            kind: 'code',
            of: () =>
              unknown.length > 0 || otherFields === 0 ? unknown : [`${otherFields} unknown`],
          },
          {
            title: 'Blocked by',
            show: () => outcome.errorCode === 'unit.already_reserved' && <BlockedBy {...context} />,
          },
          { title: 'What it did', show: effectsOf },
          { title: 'Key', show: () => <KeyLink callback={callback} keys={context.keys} /> },
          callbackFields.request,
        ]}
        item={callback}
      />
    </>
  );
}

function Ineffective({
  payload,
  outcome,
  otherFields,
  unknown,
}: CallbackEntry & { readonly unknown: readonly string[] }) {
  const reason = () => {
    if (outcome.cheque === 'skipped') return 'the reservation has no wallet with this installment.';
    if (outcome.reservation === 'ignored')
      return `a callback with the status ${String(payload['reservationStatus'])} has no effect: only approved and canceled have one.`;
    if (payload['reservationStatus'] !== undefined || payload['chequeStatus'] !== undefined)
      return 'everything was already as it reported.';
    if (otherFields > 0) {
      const names = unknown.length > 0 ? unknown.join(', ') : `${otherFields} unknown`;
      const meant = unknown.flatMap(
        (name) => closestMatch(name, callbackFieldNames, { maxDistance: 3 }) ?? [],
      );
      const hint = meant.length > 0 ? ` Did it mean ${meant.join(', ')}?` : '';
      return `it sent fields that a callback does not have (${names}).${hint}`;
    }
    return payload['installmentId'] === undefined
      ? 'it reported nothing.'
      : 'it sent installmentId without chequeStatus.';
  };
  return <p class="h3">Accepted, but it changed nothing: {reason()}</p>;
}

/** Links the blocking reservation or, if it has been canceled since, the unit, which lists all. */
function BlockedBy({
  reservation: { organizationId, unitId },
  history: { approvedOthers },
}: CallbackContext) {
  const isKnown = approvedOthers.length > 0;
  const ids = isKnown ? approvedOthers : [unitId ?? ''];
  return ids.map((id) => (
    <Link key={id} to={recordPath(isKnown ? 'reservation' : 'unit', organizationId, id) ?? ''}>
      {isKnown ? 'reservation' : 'unit'} <code>{id}</code>
    </Link>
  ));
}

function effectsOf({ outcome }: CallbackEntry) {
  const { reservation, cheque, effects, status } = outcome;
  if (effects === undefined && status < 400) return `reservation ${reservation}, cheque ${cheque}`;
  const changes = [
    ['Reservation', effects?.reservation],
    ['Cheque', effects?.cheque],
    ['Unit', effects?.unit],
  ] as const;
  const lines: ComponentChildren[] = changes.flatMap(([title, change]) =>
    change === undefined ? [] : [[`${title} `, <ValueChange {...change} />]],
  );
  if (effects?.wallet !== undefined) lines.push(`Wallet ${effects.wallet}`);
  return <Lines lines={lines.length > 0 ? lines : ['nothing']} />;
}

function KeyLink({
  callback,
  keys,
}: Pick<CallbackContext, 'keys'> & { readonly callback: CallbackEntry }) {
  return <Link to={`/partners/${callback.apiKeyId}`}>{keyName(callback, { keys })}</Link>;
}

function keyName({ apiKeyId }: CallbackEntry, { keys }: Pick<CallbackContext, 'keys'>): string {
  return keys.find(({ _id }) => _id.toHexString() === apiKeyId)?.name ?? apiKeyId;
}
