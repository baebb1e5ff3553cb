/** A body that is refused: its value at a position, and the messages. */
export interface BadBody {
  /** Method and path below the base path. */
  readonly operation: string;
  /** The other fields of the body. */
  readonly base: object;
  /** Keys that lead to the value; without any the value is the body. */
  readonly position: string;
  readonly value: unknown;
  readonly messages: readonly string[];
}

type Row = readonly [position: string, value: unknown, ...messages: string[]];

const rowsOf = (operation: string, base: object, rows: readonly Row[]): BadBody[] =>
  rows.map(([position, value, ...messages]) => ({ operation, base, position, value, messages }));

const operator = { $ne: null };
const notTexts = [null, 7, true, ['x'], operator, { constructor: 'x' }];
const repeated = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);

const texts = (...positions: string[]): Row[] =>
  positions.flatMap((position): Row[] => [
    ...notTexts.map((value): Row => [position, value, `${position} must be a string`]),
    [position, '', `${position} should not be empty`],
  ]);

const each = (position: string, values: readonly unknown[], ...messages: string[]): Row[] =>
  values.map((value) => [position, value, ...messages]);

const characters = 'must not contain null characters or unpaired surrogates';
const longId = (field: string) => `${field} must not be longer than 1024 characters`;
const long = 'x'.repeat(2_049);
const quantity = 'must be a finite number that is not negative';

const leads: Row[] = [
  ...texts('recordSystemId', 'name', 'phoneNumber', 'phoneNumber2', 'project'),
  ...each(
    'email',
    ['', 'x', 'a@b', 'a@@b.com', 'a b@example.com', null, 7, { $gt: '' }],
    'email must be an email',
  ),
  ['data.email', 'nope', 'email must be an email'],
  ['', { email: 'x', data: { email: 'y' } }, 'email must be an email'],
  ...['data', 'additionalData'].flatMap((field) =>
    each(field, [null, [], 'x', 1, true], `${field} must be an object`),
  ),
  ...['name', 'email', 'project', 'leadSource', 'phoneNumber', 'phoneNumber2'].flatMap((key) =>
    each(
      `data.${key}`,
      [[], ['01000000001'], operator],
      `data.${key} must be a string, a number, a boolean or null`,
    ),
  ),
  ['phoneNumber', '1'.repeat(65), 'phoneNumber must not be longer than 64 characters'],
  ['data.phoneNumber2', '1'.repeat(65), 'data.phoneNumber2 must not be longer than 64 characters'],
  ['recordSystemId', 'a\0b', `recordSystemId ${characters}`],
  ...each('recordSystemId', ['x'.repeat(1_025), '🏠'.repeat(1_025)], longId('recordSystemId')),
  [
    '',
    { name: '', email: 'x', data: [], additionalData: 1 },
    'data must be an object',
    'additionalData must be an object',
    'name should not be empty',
    'email must be an email',
  ],
  ...each(
    '',
    [null, [], [{ name: 'x' }], 'text', 7, true],
    'The request body must be a JSON object',
  ),
];

const batches: Row[] = [
  ['leads', repeated(101, {}), 'leads must not have more than 100 items'],
  ['leads', [], 'leads must not be empty'],
  ['leads', {}, 'leads must be an array'],
  ['', {}, 'leads must be an array'],
  ['dryRun', 'yes', 'dryRun must be a boolean'],
  ['dryrun', true, 'dryrun is not a known field'],
];

const name = 'name must be a string, or an object with strings for en-us and ar-eg';
const list = (field: string) => `${field} must be a list of strings of up to 2048 characters`;
const tooLong = (field: string) => `${field} must not be longer than 2048 characters`;
const image = 'https://example.com/a.jpg';

const units: Row[] = [
  ['unitId', undefined, 'recordSystemId or unitId is required'],
  ['compound', undefined, 'compound is required to create a unit'],
  ['compound', 'moon', 'compound not found: moon'],
  ['phase', 'south', 'phase not found: south'],
  ['propertyType', 'castle', 'propertyType not found: castle'],
  ['unitDesign', 'x', 'unitDesign not found: x'],
  ['amenities', ['gym', 'sauna'], 'amenities not found: gym', 'amenities not found: sauna'],
  ...each('price', [-1, '5', null], `price ${quantity}`),
  ...each('bua', [-1, '5', null], `bua ${quantity}`),
  ...each('beds', [-1, '5', null], `beds ${quantity}`),
  ['name', { fr: 'x' }, 'name.fr is not a known field', name],
  ['name', {}, name],
  ['name', { 'en-us': 'Villa', fr: 'Villa' }, 'name.fr is not a known field'],
  ...each('name', [long, { 'ar-eg': long }], tooLong('name')),
  ...each('amenities', ['gym', [operator], [long]], list('amenities')),
  ['listingType', repeated(501, 'sale'), 'listingType must not have more than 500 items'],
  ['propertyType', long, tooLong('propertyType')],
  ['propertyType', operator, 'propertyType must be a string or null'],
  ['floor', { name: long }, tooLong('floor.name')],
  ['floor', {}, 'floor.name must be a string'],
  ['floor', 'one', 'floor must be an object'],
  ['floor', { name: 'Ground', level: 1 }, 'floor.level is not a known field'],
  ['media', repeated(501, { image }), 'media must not have more than 500 items'],
  ['media', [{ image: `${image}${long}` }], tooLong('media.0.image')],
  ['media', [{ image: 'no address' }], 'media.0.image must be an http or https URL'],
  ['media', [{ image }, { image, type: 1 }], 'media.1.type must be a string'],
  ['media', [{ image }, { image, alt: '' }], 'media.1.alt is not a known field'],
  ['showForBrokers', 'yes', 'showForBrokers must be a boolean'],
  ['unitId', 'a\0', `unitId ${characters}`],
  ['recordSystemId', 'x'.repeat(1_025), longId('recordSystemId')],
  ['status', '', 'status should not be empty'],
  ['prise', 1, 'prise is not a known field'],
];

const unitForm = 'unit must be a slug, or an object with either recordSystemId or unitId';
const statuses = 'pending, approved, pending_cheque_collection, rejected, canceled, expired';
const oneOf = (field: string, values: string) => [
  `${field} must be a valid enum value`,
  `${field} must be one of the following values: ${values}`,
];
const first = { installmentId: '1' };

const reservations: Row[] = [
  ['unit', undefined, 'unit is required to create a reservation'],
  ['unit', operator, 'unit.$ne is not a known field', unitForm],
  ['unit', { recordSytemId: 'x' }, 'unit.recordSytemId is not a known field', unitForm],
  ['unit', { recordSystemId: 'x', unitId: 'V-1' }, unitForm],
  [
    'lead',
    { recordSystemId: { $gt: '' } },
    'lead must be an object with the recordSystemId of a lead',
  ],
  ['lead', { recordSystemId: 'y', id: 1 }, 'lead.id is not a known field'],
  ...each('status', ['sold', null, ['pending']], ...oneOf('status', statuses)),
  ['partnerCollection', 'yes', 'partnerCollection must be a boolean'],
  ['partner', true, 'partner is not a known field'],
  ['__status', 'x', '__status is not a known field'],
  ...each('cheques', [{ '0': {} }, 'x', null], 'cheques must be an array'),
  ['cheques', [1, null], 'cheques.0 must be an object', 'cheques.1 must be an object'],
  ['cheques', [[first]], 'cheques.0 must be an object'],
  [
    'cheques',
    [{}, {}],
    'cheques.0.installmentId must be a string',
    'cheques.1.installmentId must be a string',
  ],
  ['cheques', [first, { chequeNumber: '1' }], 'cheques.1.installmentId must be a string'],
  ['cheques', [first, first], 'cheques must not name an installmentId twice'],
  [
    'cheques',
    Array.from({ length: 501 }, (_, i) => ({ installmentId: `${i}` })),
    'cheques must not have more than 500 items',
  ],
  ...each(
    'cheques',
    [[{ ...first, dueDate: '2026-02-30' }], [{ ...first, dueDate: '2026-W05-1' }]],
    'cheques.0.dueDate must be an ISO 8601 date',
  ),
  ['cheques', [{ ...first, chequeAmount: '5' }], 'cheques.0.chequeAmount must be a finite number'],
  ['cheques', [{ ...first, amount: 5 }], 'cheques.0.amount is not a known field'],
];

const chequeStatuses = 'pending, collected, overdue, bounced, post_dated';

const callbacks: Row[] = [
  [
    'reservationId',
    undefined,
    'reservationId must be a string',
    'reservationId should not be empty',
  ],
  ...each('reservationId', [7, { $gt: '' }], 'reservationId must be a string'),
  ['reservationId', '', 'reservationId should not be empty'],
  [
    '',
    { reservationId: 'x', installmentId: '1', chequeStatus: 'lost' },
    ...oneOf('chequeStatus', chequeStatuses),
  ],
  ...each(
    'reservationStatus',
    [null, 'Approved', ['approved']],
    ...oneOf('reservationStatus', statuses),
  ),
  ['chequeStatus', 'collected', 'chequeStatus must be sent together with installmentId'],
  ['installmentId', '', 'installmentId should not be empty'],
  ['chequeAmount', '5', 'chequeAmount must be a finite number'],
  ['chequeNumber', 5, 'chequeNumber must be a string'],
  ['chequeNumber', '1'.repeat(257), 'chequeNumber must not be longer than 256 characters'],
];

const entry = { reservationId: 'a', installmentId: '1', chequeStatus: 'pending' };

const ledgers: Row[] = [
  ['cheques', undefined, 'cheques must be an array'],
  ['cheques', [], 'cheques must not be empty'],
  ['cheques', repeated(1_001, entry), 'cheques must not have more than 1000 items'],
  ['cheques', [{ ...entry, amount: 1 }], 'cheques.0.amount is not a known field'],
  ['cheques', [{ ...entry, reservationId: '' }], 'cheques.0.reservationId should not be empty'],
  ['complete', 'yes', 'complete must be a boolean'],
];

/** Bodies that are rejected by their content alone. */
export const badBodies: readonly BadBody[] = [
  ...rowsOf('POST /leads', {}, leads),
  ...rowsOf('POST /leads/batch', { leads: [{}] }, batches),
  ...rowsOf('POST /units', { unitId: 'n', compound: 'lake' }, units),
  ...rowsOf('POST /reservations', { unit: 'villa' }, reservations),
  ...rowsOf('POST /reservations/webhook', { reservationId: 'x' }, callbacks),
  ...rowsOf('POST /reservations/reconciliation', { cheques: [entry] }, ledgers),
];
