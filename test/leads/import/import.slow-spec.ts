import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { Types } from 'mongoose';
import { Transactions } from '../../../src/core/database/transactions/transactions.js';
import { LeadImportsService } from '../../../src/leads/import/lead-imports.service.js';
import { OrganizationsRepository } from '../../../src/tenants/organizations/organizations.repository.js';
import { startSession } from '../../operator/command-line.js';
import { addCompound } from '../../support/builders.js';
import { range } from '../../support/counting.js';
import { sharedService } from '../../support/shared-service.js';
import { rounds } from '../../support/rounds.js';
import type { TenantApi } from '../../support/tenant-api.js';
import { wideText } from '../payloads.js';
import { startTestService } from '../../support/test-service.js';

const service = sharedService();
const cli = startSession({ MONGODB_URI: service.databaseUri });
let folder: string;
let tenant: TenantApi;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lead-import-'));
});
beforeEach(async () => {
  tenant = await service.addTenant();
});
afterAll(() => rm(folder, { recursive: true }));

const saveFile = async (name: string, content: string | Buffer | readonly string[]) => {
  const path = join(folder, `${tenant.organizationId.toHexString()}-${name}`);
  const text =
    typeof content === 'string' || Buffer.isBuffer(content) ? content : content.join('\n');
  await writeFile(path, text);
  return path;
};
const argsOf = (file: string, options: readonly string[]) => {
  const org = tenant.organizationId.toHexString();
  return [file, '--org', org, ...options];
};
const runText = (file: string, ...options: string[]) =>
  cli.run('lead import', ...argsOf(file, options));
const run = (file: string, ...options: string[]) =>
  cli.json<Outcome>('lead import', ...argsOf(file, options));
const leads = async () =>
  (await tenant.stored('leads')).toSorted((one, other) => one['leadId'] - other['leadId']);

interface Outcome {
  readonly refusedRows: { row: number; line: number; code: string; message: string }[];
}
/** The import refuses a `recordSystemId` of this length. */
const tooLongId = 'x'.repeat(1_025);

describe('lead import', () => {
  it('imports CSV with nested columns and treats empty cells as not sent', async () => {
    const lines = [
      '\uFEFFrecordSystemId,name,phoneNumber,data.leadSource,data.nested.key,additionalData.utm',
      'a,"Mona, ""M""",01000000001,Website,x,spring',
      'b,Nour,+20 100 000 0001,,,',
      '',
      'c,,,,,',
      'a,"Mona\nAdel",,,,',
      `${tooLongId},,,,,`,
    ];
    const file = await saveFile('leads.csv', lines.join('\r\n'));
    const dry = await run(file, '--dry-run');
    expect(dry).toMatchObject({ dryRun: true, rows: 5, created: 2, updated: 1, refused: 2 });
    expect([await leads(), await tenant.stored('imports')]).toEqual([[], []]);
    const report = join(folder, 'refused.csv');
    const outcome = await run(file, '--report', report);
    const duplicate =
      'Duplicate Lead: Existing Lead (+20 100 000 0001) exists. and is not assigned to anyone.';
    const length = 'recordSystemId must not be longer than 1024 characters';
    const refusedRows = [
      { row: 2, line: 3, code: 'lead.duplicate_phone', message: duplicate },
      { row: 5, line: 8, code: 'validation.failed', message: length },
    ];
    expect(outcome).toEqual({ ...dry, dryRun: false, refusedRows });
    const columns =
      'recordSystemId,name,phoneNumber,data.leadSource,data.nested.key,additionalData.utm';
    const reported = [
      `\uFEFF${columns},error.row,error.line,error.code,error.message`,
      `b,Nour,+20 100 000 0001,,,,2,3,lead.duplicate_phone,${duplicate}`,
      `${tooLongId},,,,,,5,8,validation.failed,${length}`,
      '',
    ];
    expect(await readFile(report, 'utf8')).toBe(reported.join('\r\n'));
    const contact = { name: 'Mona\nAdel', phoneNumber: '01000000001' };
    const data = { ...contact, leadSource: 'Website', 'nested.key': 'x' };
    expect(await leads()).toMatchObject([
      { recordSystemId: 'a', data, additionalData: { utm: 'spring' } },
      { recordSystemId: 'c', data: {}, additionalData: {} },
    ]);
    const finished = { state: 'finished', done: 5, total: 5, created: 2, refused: 2 };
    expect(await tenant.stored('imports')).toMatchObject([finished]);
  });

  it('skips blank rows, and rows that an earlier run has imported', async () => {
    const rows = range(101).map((index) => `lead-${index},Name ${index}`);
    const lines = [',', ...rows.slice(0, 99), ', ', ',', ...rows.slice(99), ',', ','];
    const file = await saveFile('blank.csv', ['recordSystemId,name', ...lines]);
    const outcome = { rows: 101, created: 101, refused: 0 };
    expect(await run(file)).toMatchObject({ ...outcome, doneBefore: 0 });
    expect(await leads()).toHaveLength(101);
    expect(await run(file)).toMatchObject({ ...outcome, doneBefore: 101 });
    const dry = { rows: 101, doneBefore: 101, created: 0, updated: 0, refused: 0 };
    expect(await run(file, '--dry-run')).toMatchObject(dry);
    expect(await leads()).toHaveLength(101);
  });

  it('imports each line of NDJSON as a request body', async () => {
    const lines = [
      '{"recordSystemId":"a","data":{"long":12345678901234567890}}',
      '{"recordSystemId":"a","data":{"long":1234567890123456789,"text":"\u2028"}}',
      '  ',
      '{"broken',
      '[1]',
      '{"data":{"__proto__":{}}}',
      '{"data":{"rate":0.12345678901234567891}}',
      '{"name":"Without id"}',
    ];
    const file = await saveFile('leads.ndjson', lines);
    const { refusedRows, ...outcome } = await run(file);
    expect(outcome).toMatchObject({ rows: 7, created: 3, updated: 1, refused: 3 });
    const keys = 'The line must not contain the keys __proto__ or constructor.prototype';
    expect(refusedRows.map(({ row, line, code, message }) => [row, line, code, message])).toEqual([
      [3, 4, 'request.malformed_json', 'The line is not valid JSON in UTF-8'],
      [4, 5, 'request.body_not_object', 'The line must be a JSON object'],
      [5, 6, 'request.forbidden_key', keys],
    ]);
    const again = { rows: 7, doneBefore: 7, created: 3, refused: 3, refusedRows: [] };
    expect(await run(file)).toMatchObject(again);
    expect(await leads()).toHaveLength(3);
    const restarted = { doneBefore: 0, created: 2, updated: 2 };
    expect(await run(file, '--restart')).toMatchObject(restarted);
    expect(await leads()).toHaveLength(5);
  });

  it('stores data and additionalData of NDJSON exactly as they stand in the file', async () => {
    const sent = fc.array(fc.tuple(wideText, wideText, wideText), { minLength: 1, maxLength: 20 });
    let number = 0;
    await fc.assert(
      fc.asyncProperty(sent, async (payloads) => {
        const rows = payloads.map((texts) => ({ id: `exact-${number++}`, texts }));
        const lines = rows.flatMap(({ id, texts: [data, additionalData, later] }) => [
          `{"recordSystemId":"${id}","data":${data},"additionalData":${additionalData}}`,
          `{"recordSystemId":"${id}","additionalData":${later}}`,
        ]);
        const file = await saveFile(`exact-${number}.ndjson`, lines);
        expect(await run(file)).toMatchObject({ created: rows.length, updated: rows.length });
        for (const { id, texts } of rows) {
          const { text } = await tenant.get(`/leads/${id}`).expect(200);
          expect(text).toContain('"wide":[9223372036854775807,-9223372036854775808]');
          const [data, additionalData, later] = texts.map((one) => JSON.parse(one) as object);
          const { lead } = JSON.parse(text) as { lead: Record<string, unknown> };
          expect(lead['data']).toEqual(data);
          expect(lead['additionalData']).toEqual({ ...additionalData, ...later });
        }
      }),
      { numRuns: rounds(3, 60) },
    );
  });

  const known =
    'Known are recordSystemId, name, email, phoneNumber, phoneNumber2, project, ' +
    'data.<key>, additionalData.<key>.';
  const json =
    'A JSON file cannot be imported. Convert it to CSV, or to NDJSON (one JSON object per line) ' +
    'named .ndjson or .jsonl.';
  const tooShort =
    'Line 152 has 1 instead of 2 cells. Delete empty columns at the end, and put cells that contain a comma in double quotes.';
  const twice = 'Columns that occur twice: name. Keep one of each.';
  const encoding = 'Save it as UTF-8 (in Excel: "CSV UTF-8"), then run the command again.';
  const empty = 'The file has no rows to import.';
  const commas = `Unknown columns: recordSystemId;name. ${known} Separate columns by commas.`;
  const latin = Buffer.from('recordSystemId,name\na,Ren\xE9\n', 'latin1');

  it.each([
    [
      'unknown.csv',
      'recordSystemId,phone,data.\na,1,2\n',
      `Unknown columns: phone, data.. ${known}`,
    ],
    ['ragged.csv', `recordSystemId,name\n${'a,b\n'.repeat(150)}c\n`, tooShort],
    ['latin.csv', latin, `The file is not UTF-8. ${encoding}`],
    [
      'utf16.csv',
      Buffer.from('name,phoneNumber\nمنى,1\n', 'utf16le'),
      `The file is UTF-16. ${encoding}`,
    ],
    ['utf16.ndjson', Buffer.from('{"name":"منى"}\n', 'utf16le'), `The file is UTF-16. ${encoding}`],
    ['twice.csv', 'recordSystemId,name,name\na,Mona,Nour\n', twice],
    ['semicolons.csv', 'recordSystemId;name\na;Mona\n', commas],
    ['leads.json', '[{"recordSystemId":"a"}]', json],
    ['empty.csv', '', empty],
    ['header.csv', 'recordSystemId,name\n', empty],
    ['empty.ndjson', '\n', empty],
  ])('refuses %s with one line and stores no lead', async (name, content, message) => {
    const { code, stderr } = await runText(await saveFile(name, content));
    expect({ code, stderr }).toEqual({ code: 1, stderr: `${message}\n` });
    expect(await leads()).toEqual([]);
  });

  it('fails with one line when the report cannot be written', async () => {
    const file = await saveFile('reported.csv', 'recordSystemId,phoneNumber\na,01000000001\n');
    const refused = await saveFile('full.csv', `recordSystemId\n${tooLongId}\n`);
    const missing = join(folder, 'none', 'refused.csv');
    const isImported = `--report must not be the file being imported (${file}): choose another path.`;
    for (const [imported, report, message] of [
      [file, file, isImported],
      [file, missing, `The report ${missing} cannot be written: no such file or directory.`],
      [refused, '/dev/full', 'The report /dev/full cannot be written: no space left on device.'],
    ] as const) {
      const stderr = `${message}\n`;
      expect(await runText(imported, '--report', report)).toEqual({ code: 1, stdout: '', stderr });
    }
    expect(await leads()).toEqual([]);
  });

  it('reports CSV rows as they are, so that the report imports after a correction in a spreadsheet', async () => {
    const columns = [
      'recordSystemId',
      'name',
      'data.note',
      'data.__proto__.x',
      'additionalData.utm',
    ];
    const text = fc.oneof(
      fc.stringMatching(/^[=+@\t"',; \n-]{0,3}[a-zم-ي ]{0,4}$/),
      fc.string({ unit: 'grapheme', maxLength: 5 }).filter((each) => !each.includes('\0')),
    );
    const rows = fc.sample(fc.tuple(text, text, text, text), 100).map((cells, index) => {
      return [index % 3 === 0 ? `ok-${index}` : `${tooLongId}${index}`, ...cells];
    });
    const file = await saveFile('round.csv', stringify([columns, ...rows]));
    const report = await saveFile('round-refused.csv', '');
    await run(file, '--report', report);
    const refused = rows.filter(([id = '']) => id.length > 1_024);
    const [header, ...reported] = parse(await readFile(report, 'utf8'), { bom: true });
    expect(header?.slice(0, columns.length)).toEqual(columns);
    expect(reported.map((row) => row.slice(0, columns.length))).toEqual(refused);
    // Spreadsheets quote differently, keep the columns with the reasons, and append empty rows.
    const corrected = reported.map(([id = '', ...others]) => [id.slice(1_024), ...others]);
    const blankRow = columns.map(() => '').concat(['', '', '', '']);
    const options = { quoted: true, record_delimiter: 'windows', bom: true } as const;
    await writeFile(report, stringify([header ?? [], ...corrected, blankRow, blankRow], options));
    const again = await saveFile('round-refused-again.csv', '');
    expect(await run(report, '--report', again)).toMatchObject({ refused: 0 });
    const stored = new Map((await leads()).map((lead) => [lead['recordSystemId'], lead]));
    expect(stored.size).toBe(rows.length);
    for (const [id = '', name, note, nested, utm] of rows) {
      const expected = { name, note, '__proto__.x': nested };
      const given = Object.entries(expected).filter(([, value]) => value !== '');
      const key = id.length > 1_024 ? id.slice(1_024) : id;
      expect(stored.get(key)).toMatchObject({
        data: Object.fromEntries(given),
        additionalData: utm === '' ? {} : { utm },
      });
    }
  });

  it('reports NDJSON rows as they are, so that the report imports after a correction', async () => {
    const lines = [
      `{"recordSystemId":"${tooLongId}", "data": {"long":1234567890123456789,"text":"a\u2028b"}}`,
      '{"recordSystemId":"b","data":{"rate":1.0}',
      '{"recordSystemId":"c"}',
      '[1]',
    ];
    const file = await saveFile('round.ndjson', lines);
    const report = await saveFile('round-refused.ndjson', '');
    const { refusedRows } = await run(file, '--report', report);
    expect(refusedRows.map(({ row }) => row)).toEqual([1, 2, 4]);
    const reported = (await readFile(report, 'utf8')).split('\n');
    const [long = '', short, , list] = lines;
    const reason = (index: number) => JSON.stringify({ error: refusedRows[index] });
    const rows = [long.replace('\u2028', String.raw`\u2028`), short, list];
    expect(reported).toEqual([...rows.flatMap((row, index) => [reason(index), row]), '']);
    // Not corrected, every row is refused again: reasons are not rows.
    expect((await run(report)).refusedRows.map(({ line }) => line)).toEqual([2, 4, 6]);
    const corrected = reported.map((line) =>
      line.replace(tooLongId, 'a').replace('1.0}', '1.0}}').replace('[1]', ''),
    );
    // Some programs write JSON with blanks.
    const spaced = corrected.map((line) =>
      line.replace('{"error":{"row":', '{ "error": { "row": '),
    );
    await writeFile(report, spaced.join('\r\n'));
    expect(await run(report)).toMatchObject({ rows: 2, created: 2, refused: 0 });
    const text = (await tenant.get('/leads/a').expect(200)).text;
    expect(text).toContain('"long":1234567890123456789');
    expect((await leads()).map(({ recordSystemId }) => recordSystemId as string)).toEqual([
      'c',
      'a',
      'b',
    ]);
  });

  it('refuses a report of another kind, or with rows of another import, and stores no lead', async () => {
    const file = await saveFile('new.csv', 'name\nMona\n');
    const ndjson = await saveFile('new.ndjson', '{"name":"Mona"}\n');
    const report = await saveFile('old.csv', '\uFEFFname,error.row\r\nNour,1\r\n');
    const asJson = report.replace('.csv', '.jsonl');
    for (const [imported, path, message] of [
      [
        file,
        report,
        `The report ${report} has rows of another import: delete it, or choose another path.`,
      ],
      [file, asJson, '--report must end with .csv, like the file being imported.'],
      [ndjson, report, '--report must end with .ndjson or .jsonl, like the file being imported.'],
    ] as const) {
      const stderr = `${message}\n`;
      expect(await runText(imported, '--report', path)).toEqual({ code: 1, stdout: '', stderr });
    }
    expect([await leads(), await tenant.stored('imports')]).toEqual([[], []]);
  });

  it('appends to the report when the import continues, and begins it once', async () => {
    const file = await saveFile('continued.csv', `recordSystemId\n${tooLongId}\nb\n`);
    const report = await saveFile('continued-refused.csv', '');
    await run(file, '--report', report);
    const text = await readFile(report, 'utf8');
    await tenant.set('imports', {}, { done: 1, state: 'running' });
    await run(file, '--report', report);
    expect(await readFile(report, 'utf8')).toBe(text);
    expect(await runText(file, '--restart', '--report', report)).toMatchObject({ code: 1 });
  });

  it('prints the path of the report when earlier runs refused rows', async () => {
    const file = await saveFile('again.csv', `recordSystemId\n${tooLongId}\n`);
    const report = join(folder, 'again-refused.csv');
    await run(file, '--report', report);
    const notice = 'Not all refused rows are listed (some are from earlier runs):';
    const withReport = await runText(file, '--report', report);
    expect(withReport.stdout).toContain(`${notice} see ${report}.\n`);
    const without = await runText(file);
    expect(without.stdout).toContain(`${notice} use --report <file> to keep the refused rows.\n`);
  });

  it('matches project names in the language of --language', async () => {
    const compound = await tenant.add(addCompound, { 'en-us': 'Lake', 'ar-eg': 'بحيرة' });
    const file = await saveFile('arabic.csv', 'recordSystemId,project\na,بحيرة\n');
    await run(file);
    expect(await leads()).toMatchObject([{ compoundsIds: [] }]);
    await run(file, '--restart', '--language', 'ar-eg');
    expect(await leads()).toMatchObject([{ compoundsIds: [compound] }]);
  });

  it('imports no row twice after a crash, even without external ids', async () => {
    const own = await startTestService();
    const { app } = own.service;
    const id = new Types.ObjectId(tenant.organizationId.toHexString());
    const organization = await app.get(OrganizationsRepository).find(id);
    if (organization === null) throw new Error('The organization is missing.');
    const names = range(250).map((index) => `L${index}`);
    const file = await saveFile(
      'many.ndjson',
      names.map((name) => JSON.stringify({ name })),
    );
    const transactions = app.get(Transactions);
    const runOnce = transactions.run.bind(transactions);
    let calls = 0;
    transactions.run = async (work, options) => {
      calls += 1;
      // The process stops before one batch, and after another whose result it does not receive.
      if (calls === 2) throw new Error('killed');
      const result = await runOnce(work, options);
      if (calls === 4) throw new Error('killed');
      return result;
    };
    const [isDryRun, isRestarted] = [false, false];
    const ignored = { onBegin: () => {}, onRefused: () => {}, progress: () => {} };
    const options = { isDryRun, isRestarted, ...ignored };
    const runs: (number | string)[] = [];
    for (const _ of range(4)) {
      const outcome = app.get(LeadImportsService).import(organization, file, options);
      runs.push(await outcome.then(({ doneBefore }) => doneBefore, String));
    }
    await own.stop();
    expect(runs.slice(0, 2)).toEqual(['Error: killed', 'Error: killed']);
    expect((await leads()).map(({ data }) => (data as { name: string }).name)).toEqual(names);
    const counts = { done: 250, created: 250, refused: 0 };
    expect(await tenant.stored('imports')).toMatchObject([counts]);
  });
});
