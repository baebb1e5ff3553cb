import { execFile, spawnSync } from 'node:child_process';
import {
  chmodSync,
  constants,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll } from '@jest/globals';

/** The last stage of the Dockerfile is the image. */
const dockerfile = readFileSync('Dockerfile', 'utf8').replaceAll(/\\\n\s*/g, '');
const stage = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
const commandAfter = (instruction: RegExp) =>
  JSON.parse(instruction.exec(stage)?.[1] ?? '[]') as readonly string[];
const user = /^USER (\d+):\d+$/m.exec(stage)?.[1];

type Variables = Readonly<Record<string, string>>;

/** The files of the image in a folder that the image's user cannot change. */
export interface ContainerImage {
  /** Variables of every process in the container. */
  readonly variables: Variables;
  /** Returns a command that runs in the container as the image's user: by default that of the image. */
  command(args?: readonly string[]): string[];
  run(args: readonly string[], variables: Variables): Promise<Result>;
  /** Runs the health check in the container of a process that has these variables. */
  checkHealth(variables: Variables): Promise<Result>;
  /** Returns the packages of which a process has loaded a module so far. */
  loadedPackages(): ReadonlySet<string>;
  /** Returns the size of each package in bytes. */
  installedPackages(): ReadonlyMap<string, number>;
}

interface Result {
  readonly code: number;
  readonly output: string;
}

/** Copies the files that the build of the image copies, because building it needs a container engine. */
export async function buildContainerImage(): Promise<ContainerImage> {
  const root = mkdtempSync(join(tmpdir(), 'integration-api-image-'));
  afterAll(() => {
    spawnSync('chmod', ['-R', 'u+w', root]);
    rmSync(root, { recursive: true });
  });
  const [folder, loaded] = [join(root, 'app'), join(root, 'loaded')];
  copyApplication(folder);
  const [node, recorder] = [join(root, 'node'), join(root, 'record-loaded.mjs')];
  copy(process.execPath, node);
  copy(join(import.meta.dirname, basename(recorder)), recorder);
  mkdirSync(loaded);
  for (const path of [root, loaded, join(folder, 'node_modules/.cache')]) chmodSync(path, 0o777);
  const image = containerImage({ folder, loaded, node, recorder });
  const fill = /^RUN PORT=none (.+); test \$\? -eq 2$/m.exec(stage)?.[1]?.split(' ') ?? [];
  const { code, output } = await image.run(fill, { PORT: 'none' });
  if (code !== 2) throw new Error(`The run that fills the compile cache failed: ${output}`);
  spawnSync('chmod', ['-R', 'a-w', folder]);
  return image;
}

function containerImage(
  paths: Readonly<Record<'folder' | 'loaded' | 'node' | 'recorder', string>>,
) {
  const { folder, loaded, node, recorder } = paths;
  const modules = join(loaded, 'modules');
  const entries = [...stage.matchAll(/^ENV (\w+)=(\S+)$/gm)].map(([, name, value]) => [
    name,
    value,
  ]);
  const variables = { ...Object.fromEntries(entries), LOADED_MODULES: modules } as Variables;
  // Only root may become another user; any other user has no right to write to the folder either.
  const asUser = ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--'];
  const prefix = ['env', `--chdir=${folder}`, ...(process.getuid?.() === 0 ? asUser : [])];
  const command: ContainerImage['command'] = (args = commandAfter(/^CMD (.+)$/m)) => [
    ...prefix,
    node,
    '--import',
    recorder,
    ...args.slice(1),
  ];
  const run: ContainerImage['run'] = (args, given) =>
    runFile(command(args), { PATH: process.env['PATH'] ?? '', ...variables, ...given });
  return {
    variables,
    command,
    run,
    checkHealth: (given: Variables) => run(commandAfter(/^HEALTHCHECK .*CMD (.+)$/m), given),
    loadedPackages: () => packagesIn(readFileSync(modules, 'utf8')),
    installedPackages: () => packageSizes(join(folder, 'node_modules')),
  };
}

function copyApplication(folder: string): void {
  for (const path of ['package.json', 'scripts/build-if-stale.mjs', 'dist']) {
    copy(path, join(folder, path));
  }
  for (const path of productionPackages()) {
    copy(path, join(folder, path));
  }
  const program = join(import.meta.dirname, '../../ops/image/remove-unused-files.mjs');
  const { status, stderr } = spawnSync(process.execPath, [program], { cwd: folder });
  if (status !== 0) throw new Error(String(stderr));
  mkdirSync(join(folder, 'node_modules/.cache'));
}

/** Returns the folders that `npm ci --omit=dev --omit=optional` installs. */
function productionPackages(): string[] {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    readonly packages: Readonly<
      Record<string, { readonly dev?: true; readonly optional?: true; readonly devOptional?: true }>
    >;
  };
  const isOmitted = (path: string) => {
    const { dev, optional, devOptional } = packages[path] ?? {};
    return dev ?? optional ?? devOptional ?? false;
  };
  return Object.keys(packages).filter((path) => path !== '' && !isOmitted(path));
}

/** Leaves out nested packages, which the lock file lists too. */
function copy(from: string, to: string): void {
  const isNested = (path: string) => path !== from && basename(path) === 'node_modules';
  const filter = (path: string) => !isNested(path);
  cpSync(from, to, { recursive: true, mode: constants.COPYFILE_FICLONE, filter });
}

function runFile([program = '', ...args]: readonly string[], env: Variables): Promise<Result> {
  return new Promise((resolve) => {
    execFile(program, args, { env }, (error, stdout, stderr) => {
      const code = typeof error?.code === 'number' ? error.code : Number(error !== null);
      resolve({ code, output: stdout + stderr });
    });
  });
}

function packagesIn(urls: string): ReadonlySet<string> {
  const names = urls.matchAll(/.*\/node_modules\/((?:@[^/\n]+\/)?[^/\n]+)\//g);
  return new Set([...names].map(([, name = '']) => name));
}

function packageSizes(folder: string): ReadonlyMap<string, number> {
  const names = readdirSync(folder).flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(folder, name)).map((own) => `${name}/${own}`) : [name],
  );
  return new Map(
    names.filter((name) => !name.startsWith('.')).map((name) => [name, size(join(folder, name))]),
  );
}

function size(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  return files
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}
