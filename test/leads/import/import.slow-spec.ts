import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Types } from 'mongoose';
import { Transactions } from '../../../src/core/database/transactions/transactions.js';
import { LeadImportsService } from '../../../src/leads/import/lead-imports.service.js';
import { OrganizationsRepository } from '../../../src/tenants/organizations/organizations.repository.js';
import { runCli, runJson } from '../../operator/command-line.js';
import { addCompound, addTenant, type Tenant } from '../../support/builders.js';
import { sharedService } from '../../support/shared-service.js';
import { startTestService } from '../../support/test-service.js';

const service = sharedService();
const variables = { MONGODB_URI: service.databaseUri };
let folder: string;
let tenant: Tenant;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lead-import-'));
});
beforeEach(async () => {
  tenant = await addTenant(service.db);
});
afterAll(() => rm(folder, { recursive: true }));

const fileOf = async (name: string, text: string | Buffer) => {
  const path = join(folder, `${tenant.organizationId.toHexString()}-${name}`);
  await writeFile(path, text);
  return path;
};
const argsOf = (file: string, ...options: string[]) => [
  'lead',
  'import',
  file,
  '--org',
  tenant.organizationId.toHexString(),
  ...options,
];
const stored = (collection: string) =>
  service.db
    .collection(collection)
    .find({ organizationId: tenant.organizationId })
    .sort({ leadId: 1, _id: 1 })
    .toArray();

describe('lead import', () => {
  it('imports CSV with nested columns and treats empty cells as not sent', async () => {
    const lines = [
      '\uFEFFrecordSystemId,name,phoneNumber,data.leadSource,data.nested.key,additionalData.utm',
      'a,"Mona, ""M""",01000000001,Website,x,spring',
      'b,Nour,+20 100 000 0001,,,',
      '',
      'c,,,,,',
      'a,"Mona\nAdel",,,,',
      `${'x'.repeat(1_025)},,,,,`,
    ];
    const file = await fileOf('leads.csv', lines.join('\r\n'));
    const dry = await runJson(argsOf(file, '--dry-run'), variables);
    expect(dry).toMatchObject({ dryRun: true, rows: 5, created: 2, updated: 1, refused: 2 });
    expect([await stored('leads'), await stored('imports')]).toEqual([[], []]);
    const report = join(folder, 'refused.csv');
    const outcome = await runJson(argsOf(file, '--report', report), variables);
    const refusedRows = [
      {
        row: 2,
        line: 3,
        code: 'lead.duplicate_phone',
        message:
          'Duplicate Lead: Existing Lead (+20 100 000 0001) exists. and is not assigned to anyone.',
      },
      {
        row: 5,
        line: 8,
        code: 'validation.failed',
        message: 'recordSystemId must not be longer than 1024 characters',
      },
    ];
    expect(outcome).toEqual({ ...(dry as object), dryRun: false, refusedRows });
    expect(await readFile(report, 'utf8')).toBe(
      refusedRows
        .map(({ row, line, code, message }) => `${row},${line},${code},${message}\r\n`)
        .join(''),
    );
    expect(await stored('leads')).toMatchObject([
      {
        recordSystemId: 'a',
        data: {
          name: 'Mona\nAdel',
          phoneNumber: '01000000001',
          leadSource: 'Website',
          'nested.key': 'x',
        },
        additionalData: { utm: 'spring' },
      },
      { recordSystemId: 'c', data: {}, additionalData: {} },
    ]);
    expect(await stored('imports')).toMatchObject([
      { state: 'finished', done: 5, total: 5, created: 2, refused: 2 },
    ]);
  });

  it('skips blank rows', async () => {
    const row = (index: number) => `lead-${index},Name ${index}`;
    const leads = Array.from({ length: 101 }, (_, index) => row(index));
    const lines = [
      'recordSystemId,name',
      ',',
      ...leads.slice(0, 99),
      ', ',
      ',',
      ...leads.slice(99),
    ];
    const file = await fileOf('blank.csv', [...lines, ',', ','].join('\n'));
    const outcome = await runJson(argsOf(file), variables);
    expect(outcome).toMatchObject({ rows: 101, doneBefore: 0, created: 101, refused: 0 });
    expect(await stored('leads')).toHaveLength(101);
    const again = await runJson(argsOf(file), variables);
    expect(again).toMatchObject({ rows: 101, doneBefore: 101, created: 101 });
    expect(await stored('leads')).toHaveLength(101);
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
    const file = await fileOf('leads.ndjson', lines.join('\n'));
    const outcome = await runJson<{
      refusedRows: { row: number; line: number; code: string; message: string }[];
    }>(argsOf(file), variables);
    expect(outcome).toMatchObject({ rows: 7, created: 2, updated: 0, refused: 5 });
    expect(outcome.refusedRows.map(({ row, line, code }) => [row, line, code])).toEqual([
      [1, 1, 'request.inexact_integer'],
      [3, 4, 'request.malformed_json'],
      [4, 5, 'request.body_not_object'],
      [5, 6, 'request.forbidden_key'],
      [6, 7, 'lead.inexact_number'],
    ]);
    expect(outcome.refusedRows.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^The line has the integer 12345678901234567890,/),
      'The line is not valid JSON in UTF-8',
      'The line must be a JSON object',
      'The line must not have the keys __proto__ or constructor.prototype',
      expect.stringMatching(/^The line has the number 0.12345678901234567891,/),
    ]);
    const again = await runJson(argsOf(file), variables);
    expect(again).toMatchObject({
      rows: 7,
      doneBefore: 7,
      created: 2,
      refused: 5,
      refusedRows: [],
    });
    expect(await stored('leads')).toHaveLength(2);
    expect(await runJson(argsOf(file, '--restart'), variables)).toMatchObject({
      doneBefore: 0,
      created: 1,
      updated: 1,
    });
    expect(await stored('leads')).toHaveLength(3);
  });

  it('stores no lead of an unreadable or empty file', async () => {
    const files = {
      'unknown.csv': 'recordSystemId,phone,data.\na,1,2\n',
      'ragged.csv': `recordSystemId,name\n${'a,b\n'.repeat(150)}c\n`,
      'latin.csv': Buffer.from('recordSystemId,name\na,Ren\xE9\n', 'latin1'),
      'semicolons.csv': 'recordSystemId;name\na;Mona\n',
      'leads.json': '[{"recordSystemId":"a"}]',
      'empty.csv': '',
      'header.csv': 'recordSystemId,name\n',
      'empty.ndjson': '\n',
    };
    const known =
      'Known are recordSystemId, name, email, phoneNumber, phoneNumber2, project, ' +
      'data.<key>, additionalData.<key>.';
    const errors = [
      `Unknown columns: phone, data.. ${known}\n`,
      'Invalid Record Length: columns length is 2, got 1 on line 152\n',
      'The file is not UTF-8. Convert it and import it again.\n',
      `Unknown columns: recordSystemId;name. ${known} Separate columns by commas.\n`,
      'A JSON file cannot be imported. Convert it to CSV, or to NDJSON (one JSON object per line) named .ndjson or .jsonl.\n',
      ...Array<string>(3).fill('The file has no rows to import.\n'),
    ];
    for (const [index, [name, text]] of Object.entries(files).entries()) {
      const { code, stderr } = await runCli(argsOf(await fileOf(name, text)), variables);
      expect({ code, stderr }).toEqual({ code: 1, stderr: errors[index] });
    }
    expect(await stored('leads')).toEqual([]);
  });

  it('fails with one line when the report cannot be written', async () => {
    const file = await fileOf('reported.csv', 'recordSystemId,phoneNumber\na,01000000001\n');
    expect(await runCli(argsOf(file, '--report', file), variables)).toEqual({
      code: 1,
      stdout: '',
      stderr: `The report ${file} is the file that is imported: name another one.\n`,
    });
    const report = join(folder, 'none', 'refused.csv');
    expect(await runCli(argsOf(file, '--report', report), variables)).toEqual({
      code: 1,
      stdout: '',
      stderr: `The report ${report} cannot be written: no such file or directory.\n`,
    });
    expect(await stored('leads')).toEqual([]);
    const refused = await fileOf('full.csv', `recordSystemId\n${'x'.repeat(1_025)}\n`);
    expect(await runCli(argsOf(refused, '--report', '/dev/full'), variables)).toEqual({
      code: 1,
      stdout: '',
      stderr: 'The report /dev/full cannot be written: no space left on device.\n',
    });
  });

  it('matches project names in the language of --language', async () => {
    const names = { 'en-us': 'Lake', 'ar-eg': 'بحيرة' };
    const compound = await addCompound(service.db, tenant.organizationId, names);
    const file = await fileOf('arabic.csv', 'recordSystemId,project\na,بحيرة\n');
    await runJson(argsOf(file), variables);
    expect(await stored('leads')).toMatchObject([{ compoundsIds: [] }]);
    await runJson(argsOf(file, '--restart', '--language', 'ar-eg'), variables);
    expect(await stored('leads')).toMatchObject([{ compoundsIds: [compound] }]);
  });

  it('counts only the current run in a dry run', async () => {
    const file = await fileOf('done.csv', 'recordSystemId,name\ndone-1,A\ndone-2,B\n');
    await runJson(argsOf(file), variables);
    const dry = await runJson<object>(argsOf(file, '--dry-run'), variables);
    expect(dry).toMatchObject({ rows: 2, doneBefore: 2, created: 0, updated: 0, refused: 0 });
  });

  it('prints the path of the report when earlier runs rejected rows', async () => {
    const file = await fileOf('again.csv', `recordSystemId\n${'x'.repeat(1_025)}\n`);
    const report = join(folder, 'again-refused.csv');
    await runJson(argsOf(file, '--report', report), variables);
    const more = 'Not all refused rows are listed (some are from earlier runs):';
    const withReport = await runCli(argsOf(file, '--report', report), variables);
    expect(withReport.stdout).toContain(`${more} see ${report}.\n`);
    const without = await runCli(argsOf(file), variables);
    expect(without.stdout).toContain(`${more} use --report <file> to keep the refused rows.\n`);
  });

  it('imports no row twice after a crash, even without external ids', async () => {
    const own = await startTestService();
    const { app } = own.service;
    const id = new Types.ObjectId(tenant.organizationId.toHexString());
    const organization = await app.get(OrganizationsRepository).find(id);
    const rows = Array.from({ length: 250 }, (_, index) => JSON.stringify({ name: `L${index}` }));
    const file = await fileOf('many.ndjson', rows.join('\n'));
    const transactions = app.get(Transactions);
    const run = transactions.run.bind(transactions);
    let calls = 0;
    transactions.run = async (work, options) => {
      calls += 1;
      // Before a batch, and after one whose result the process does not get to know.
      if (calls === 2) throw new Error('killed');
      const result = await run(work, options);
      if (calls === 4) throw new Error('killed');
      return result;
    };
    const [isDryRun, isRestarted] = [false, false];
    const options = { isDryRun, isRestarted, onRefused: () => {}, progress: () => {} };
    const runs: (number | string)[] = [];
    if (organization === null) throw new Error('There is no organization.');
    for (const _ of [1, 2, 3, 4]) {
      const outcome = app.get(LeadImportsService).import(organization, file, options);
      runs.push(await outcome.then(({ doneBefore }) => doneBefore, String));
    }
    await own.stop();
    expect(runs.slice(0, 2)).toEqual(['Error: killed', 'Error: killed']);
    const names = (await stored('leads')).map(({ data }) => (data as { name: string }).name);
    expect(names).toEqual(rows.map((_row, index) => `L${index}`));
    expect(await stored('imports')).toMatchObject([{ done: 250, created: 250, refused: 0 }]);
  });
});
