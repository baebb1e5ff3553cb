import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ObjectId } from 'mongodb';
import { type Language, languages } from '../../../src/core/localization/language.js';
import type { LeadResultDto } from '../../../src/leads/dto/lead.dto.js';
import { addCompound, addKey } from '../../support/builders.js';
import { range } from '../../support/counting.js';
import { rounds } from '../../support/rounds.js';
import { sharedService } from '../../support/shared-service.js';
import type { TenantApi } from '../../support/tenant-api.js';

const service = sharedService();
let tenant: TenantApi;
let ids: Record<string, ObjectId>;

beforeAll(async () => {
  tenant = await service.addTenant();
  const add = (english: string, arabic?: string, fields?: object) => {
    const name = { 'en-us': english, ...(arabic === undefined ? {} : { 'ar-eg': arabic }) };
    return tenant.add(addCompound, name, fields);
  };
  ids = {
    palm: await add('Palm Meadows', 'مروج النخيل'),
    twin: await add('PALM MEADOWS'),
    deleted: await add('Palm Meadows', undefined, { isDeleted: true }),
    emptyArabic: await add('Élan Café', ''),
    pattern: await add('Zone (A+) .*'),
    sigma: await add('ΟΔΥΣΣΕΥΣ'),
    lake: await add('Lake', 'بحيرة'),
    street: await add('Straße am See'),
    capital: await add('STRAẞE AM SEE'),
    written: await add('Strasse am See'),
  };
  await (await service.addTenant()).add(addCompound, { 'en-us': 'Palm Meadows' });
});

const post = (body: object, language = 'en-us') =>
  tenant.post('/leads', body).set('language', language);
const linkedCompounds = async (project: string, language?: string) =>
  (await post({ project }, language).expect(201)).body.lead.compoundsIds as string[];
const idsOf = (...names: string[]) => names.map((name) => ids[name]?.toHexString());

describe('POST /leads with a project', () => {
  const streets = ['street', 'capital', 'written'];

  it.each<[project: string, language: string, compounds: string[]]>([
    ['palm meadows', 'en-us', ['palm', 'twin']],
    ['Palm MEADOWS', 'en-us', ['palm', 'twin']],
    ['Palm', 'en-us', []],
    ['Palm Meadows ', 'en-us', ['palm', 'twin']],
    [' Palm Meadows', 'en-us', ['palm', 'twin']],
    ['\u3000Palm \t\n Meadows\u0085', 'en-us', ['palm', 'twin']],
    ['PalmMeadows', 'en-us', []],
    ['\u200EPalm\u00AD Mea\u200Bdows\uFEFF', 'en-us', ['palm', 'twin']],
    ['Palm-Meadows', 'en-us', []],
    [' ', 'en-us', []],
    ['\u200E', 'ar-eg', []],
    ['.*', 'en-us', []],
    ['Zone .*', 'en-us', []],
    ['zone (a+) .*', 'en-us', ['pattern']],
    ['ÉLAN CAFÉ', 'en-us', ['emptyArabic']],
    ['e\u0301lan cafe\u0301', 'en-us', ['emptyArabic']],
    ['Elan Cafe', 'en-us', []],
    ['οδυσσευς', 'en-us', ['sigma']],
    ['STRASSE AM SEE', 'en-us', streets],
    ['straße am see', 'ar-eg', streets],
    ['STRAẞE am see', 'en-us', streets],
    ['Strase am See', 'en-us', []],
    ['مروج النخيل', 'ar-eg', ['palm']],
    ['مروج النخيل', 'AR-EG', ['palm']],
    ['مُرُوجُ  الـنّخِيل', 'ar-eg', ['palm']],
    ['بحيره', 'ar-eg', ['lake']],
    ['مروج النخيل', 'en-us', []],
    ['مروج النخيل', 'fr-fr', []],
    ['Lake', 'ar-eg', []],
    ['palm meadows', 'ar-eg', ['twin']],
    ['élan café', 'ar-eg', ['emptyArabic']],
  ])('%j in %s links the active compounds with that whole name: %j', async (...row) => {
    const [project, language, compounds] = row;
    expect(await linkedCompounds(project, language)).toEqual(idsOf(...compounds));
  });

  it('responds within the time limit when it has 300,000 combining marks', async () => {
    expect(await linkedCompounds(`e${'\u0345\u0301'.repeat(150_000)}`)).toEqual([]);
  });

  it('adds links and removes none', async () => {
    await post({ recordSystemId: 'moving', project: 'Lake' });
    const second = await post({ recordSystemId: 'moving', project: 'Palm Meadows' }).expect(200);
    expect(second.body.lead.compoundsIds).toEqual(idsOf('lake', 'palm', 'twin'));
    const third = await post({ recordSystemId: 'moving', project: 'Unknown' }).expect(200);
    expect(third.body.lead.compoundsIds).toEqual(second.body.lead.compoundsIds);
    expect(third.body.lead.data.project).toBe('Unknown');
    const { compoundsIds } = await tenant.storedOne('leads', { recordSystemId: 'moving' });
    expect(compoundsIds).toEqual([ids['lake'], ids['palm'], ids['twin']]);
  });

  it('reads the project from data before the flat field, even if it is empty', async () => {
    const both = await post({ project: 'Lake', data: { project: 'Palm Meadows' } });
    expect(both.body.lead.compoundsIds).toEqual(idsOf('palm', 'twin'));
    const empty = await post({ project: 'Lake', data: { project: '' } }).expect(201);
    expect(empty.body.lead).toMatchObject({ compoundsIds: [], data: { project: '' } });
  });

  it('links a compound that another program has just renamed, and creates none', async () => {
    const before = await tenant.count('compounds');
    await tenant.set('compounds', { _id: ids['pattern'] }, { 'name.en-us': 'Renamed' });
    expect(await linkedCompounds('renamed')).toEqual(idsOf('pattern'));
    expect(await tenant.count('compounds')).toBe(before);
  });
});

describe('POST /leads with a project in another spelling', () => {
  const charactersOf = (pattern: RegExp) =>
    range(0x11_0000)
      .map((point) => String.fromCodePoint(point))
      .filter((character) => pattern.test(character));
  /** The test's database has Unicode 8, and some characters are newer. */
  const newer =
    /[\u0890\u0891\u0897-\u089F\u08CA-\u08E2\u{10EFA}-\u{10EFF}\u{110CD}\u{13430}-\u{1343F}]/u;
  const ignored = charactersOf(/\p{Cf}|ـ|(?=\p{M})\p{scx=Arab}/u).filter(
    (character) => !newer.test(character),
  );
  const blanks = charactersOf(/\p{White_Space}/u);
  const interchangeable = ['اأإآ', 'يىئ', 'وؤ', 'هة'].map((letters) => [...letters]);
  const spellingsOf = (letter: string): string[] =>
    interchangeable.find((letters) => letters.includes(letter)) ?? [
      letter.toLowerCase(),
      letter.toUpperCase(),
    ];
  const ignoredText = fc.string({ unit: fc.constantFrom('', ...ignored), maxLength: 3 });
  const gap = fc.array(fc.tuple(fc.constantFrom(...blanks), ignoredText), {
    minLength: 1,
    maxLength: 3,
  });
  /** Blanks and ignored characters around the words. */
  const end = fc.array(fc.tuple(fc.constantFrom('', ...blanks), ignoredText), { maxLength: 2 });
  const written = (parts: readonly (readonly string[])[]) => parts.flat().join('');
  /** Writes each word with other letters and ignored characters after them. */
  const spelling = (words: readonly string[][]): fc.Arbitrary<string> =>
    fc
      .tuple(
        end,
        fc.tuple(
          ...words.map((letters) =>
            fc.tuple(
              gap,
              fc.tuple(
                ...letters.map((letter) =>
                  fc.tuple(fc.constantFrom(...spellingsOf(letter)), ignoredText),
                ),
              ),
            ),
          ),
        ),
        end,
      )
      .map(([first, spelled, last]) =>
        [
          written(first),
          spelled
            .map(
              ([between, letters], index) =>
                (index === 0 ? '' : written(between)) + written(letters),
            )
            .join(''),
          written(last),
        ].join(''),
      );
  const letters = fc.constantFrom(...'اأإآيىئوؤهةبلمرس', ...'aBzöß7');
  const words = fc.array(fc.array(letters, { minLength: 1, maxLength: 5 }), {
    minLength: 1,
    maxLength: 3,
  });
  const pair = words.chain((name) => fc.tuple(spelling(name), spelling(name)));

  /** Sends the second spelling of each pair, and returns pairs whose compound has not been linked. */
  const unlinked = async (
    language: Language,
    pairs: readonly (readonly [stored: string, sent: string])[],
  ) => {
    const other = await service.addTenant();
    const added = await Promise.all(
      pairs.map(async ([stored, sent]) => {
        const name = { 'en-us': 'Other', [language]: stored };
        const id = await other.add(addCompound, name);
        return { id: id.toHexString(), stored, sent };
      }),
    );
    const missing: object[] = [];
    for (let at = 0; at < added.length; at += 100) {
      const part = added.slice(at, at + 100);
      const leads = part.map(({ sent }) => ({ data: { project: sent } }));
      const { body } = await other.post('/leads/batch', { leads }).set('language', language);
      const results = body.results as LeadResultDto[];
      missing.push(
        ...part.filter(
          ({ id }, index) => results[index]?.lead?.compoundsIds?.includes(id) !== true,
        ),
      );
    }
    return missing;
  };

  it('links the compound for every pair of spellings of its name', async () => {
    const pairs = fc.array(pair, { minLength: 50, maxLength: 50 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...languages), pairs, async (language, spelled) => {
        expect(await unlinked(language, spelled)).toEqual([]);
      }),
      {
        numRuns: rounds(10, 100),
      },
    );
  });

  it('links the compound for each two letters, and each ignored character, of the rule', async () => {
    const cases = [
      ...interchangeable.flatMap((group) =>
        group.flatMap((one) => group.map((each) => [`م${one}`, `م${each}`] as const)),
      ),
      ...ignored.flatMap((character) => [
        [`م${character}ب`, 'مب'] as const,
        ['سب', `س${character}ب`] as const,
      ]),
      ...blanks.flatMap((blank) => [
        [`${blank}م${blank}${blank}ت${blank}`, 'م ت'] as const,
        ['س ت', `${blank}س${blank}${blank}ت${blank}`] as const,
      ]),
    ];
    expect(cases.length).toBeGreaterThan(500);
    expect(await unlinked('ar-eg', cases)).toEqual([]);
  });

  it('links the compound whose name has the same characters, even unknown ones', async () => {
    const same = charactersOf(newer).map((character) => {
      return [`a${character}b`, `a${character}b`] as const;
    });
    expect(await unlinked('en-us', same)).toEqual([]);
  });

  it.each([
    ['ك', 'ق'],
    ['ه', 'ت'],
    ['ا', 'ع'],
  ])('links no compound when %s is written for %s', async (stored, sent) => {
    const other = await service.addTenant();
    await other.add(addCompound, { 'en-us': `م${stored}ن` });
    const { body } = await other.post('/leads', { project: `م${sent}ن` }).expect(201);
    expect(body.lead.compoundsIds).toEqual([]);
  });
});

describe('a lead whose project is the name of no compound', () => {
  const reader = () => tenant.add(addKey);
  const writer = () =>
    tenant.add(addKey, { permissions: { allowExternal: true, operations: ['leads.write'] } });
  const send = async (key: string, body: object, path = '/leads') =>
    tenant.with(key).post(path, body);

  it('is reported to keys that may read the catalogue', async () => {
    for (const [key, expected] of [
      [await reader(), 'true'],
      [await writer(), undefined],
    ] as const) {
      const created = await send(key, { recordSystemId: key, project: 'Unknown' });
      const updated = await send(key, { recordSystemId: key, data: { project: 'Palm' } });
      expect([created, updated].map(({ status }) => status)).toEqual([201, 200]);
      const reported = [created, updated].map(({ headers }) => headers['x-unmatched-project']);
      expect(reported).toEqual([expected, expected]);
      for (const body of [
        { recordSystemId: key, name: 'Mona' },
        { project: 'Palm Meadows' },
        { data: { project: null } },
        { project: 'Unknown', data: { project: '' } },
      ]) {
        expect((await send(key, body)).headers).not.toHaveProperty('x-unmatched-project');
      }
      const leads = [{ project: 'Palm Meadows' }, { project: 'Unknown' }, { project: '' }];
      const { body } = await send(key, { leads }, '/leads/batch');
      const unmatched = body.results.map(({ unmatchedProject }: LeadResultDto) => unmatchedProject);
      expect(unmatched).toEqual([undefined, expected && true, undefined]);
    }
  });

  it('is reported again by the replayed response', async () => {
    const header = { 'idempotency-key': randomUUID() };
    for (const isReplayed of [undefined, 'true']) {
      const { headers } = await post({ project: 'Unknown' }).set(header).expect(201);
      expect(headers).toMatchObject({ 'x-unmatched-project': 'true' });
      expect(headers['idempotent-replayed']).toBe(isReplayed);
    }
  });
});
