import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll } from '@jest/globals';
import { BSON, type Db, type Document, type IndexDescription } from 'mongodb';
import { type Outcome, runNode } from '../../operator/command-line.js';
import { startProcess } from '../../support/service-process.js';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');
const commit = '12f28eac';

/** A build of the service. */
export interface Version {
  readonly name: string;
  readonly start: (variables: Record<string, string>) => ReturnType<typeof startProcess>;
  readonly cli: (args: readonly string[], variables: Record<string, string>) => Promise<Outcome>;
}

function versionIn(name: string, folder: string): Version {
  return {
    name,
    start: (variables) => startProcess(variables, [process.execPath, join(folder, 'dist/main.js')]),
    cli: (args, variables) => runNode([join(folder, 'dist/cli.js'), ...args], variables),
  };
}

export const thisVersion = versionIn('this version', root);

/** Builds commit 12f28eac with the installed packages; a clone without history has no such commit. */
export async function earlierVersion(): Promise<Version | undefined> {
  const archive = ['archive', '--format=tar', commit, 'src', ...configuration];
  const parent = await mkdtemp(join(tmpdir(), 'api-earlier-'));
  afterAll(() => rm(parent, { recursive: true }));
  const folder = join(parent, commit);
  await mkdir(folder);
  const tar = join(parent, 'sources.tar');
  try {
    await run('git', [...archive, `--output=${tar}`], { cwd: root });
  } catch {
    return undefined;
  }
  await run('tar', ['-xf', tar, '-C', folder]);
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  // Its page of the API used a package that is no longer installed, and no test opens that page.
  const page = join(parent, 'node_modules/swagger-ui-dist');
  await mkdir(page, { recursive: true });
  await writeFile(join(page, 'package.json'), '{}');
  await run(process.execPath, ['node_modules/@nestjs/cli/bin/nest.js', 'build'], { cwd: folder });
  return versionIn(commit, folder);
}

const configuration = [
  '.swcrc',
  'package.json',
  'nest-cli.json',
  'tsconfig.json',
  'tsconfig.build.json',
];

interface StoredCollection {
  readonly collection: string;
  readonly options: Document;
  readonly indexes: readonly IndexDescription[];
  readonly documents: readonly Document[];
}

/**
 * Restores a database that commit 12f28eac made, as if it had been made now.
 *
 * @param receiver address of the endpoints
 */
export async function restoreEarlierDatabase(db: Db, receiver: string) {
  const file = join(import.meta.dirname, `database-of-${commit}.ndjson`);
  const [header = '', ...lines] = (await readFile(file, 'utf8')).trimEnd().split('\n');
  const about = JSON.parse(header) as {
    readonly madeAt: string;
    readonly receiver: string;
    readonly encryptionKeys: string;
    readonly keys: Readonly<Record<'everything' | 'website' | 'gulf', string>>;
  };
  const passed = Date.now() - Date.parse(about.madeAt);
  for (const line of lines) {
    const stored = BSON.EJSON.parse(line.replaceAll(about.receiver, receiver)) as StoredCollection;
    const collection = await db.createCollection(stored.collection, stored.options);
    if (stored.indexes.length > 0) await collection.createIndexes([...stored.indexes]);
    const documents = stored.documents.map((document) => later(document, passed) as Document);
    if (documents.length > 0) await collection.insertMany(documents);
  }
  return about;
}

/** Moves all times, so that nothing has expired. */
function later(value: unknown, passed: number): unknown {
  if (value instanceof Date) return new Date(value.getTime() + passed);
  if (Array.isArray(value)) return value.map((item) => later(item, passed));
  if (value === null || typeof value !== 'object' || '_bsontype' in value) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, later(field, passed)]),
  );
}
