// Generates the types, operations and error codes of clients/typescript from docs/openapi.json. With `--check`, this
// script writes nothing and fails if a file is outdated.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'clients/typescript/src/generated');
const heading = '// Written by `npm run generate` from docs/openapi.json.\n';

const api = JSON.parse(await readFile(join(root, 'docs/openapi.json'), 'utf8'));
const texts = {
  'types.ts': await types(api),
  'operations.ts': operations(api),
  'error-codes.ts': errorCodes(api),
};
for (const [name, text] of Object.entries(texts)) {
  const path = join(folder, name);
  if (!process.argv.includes('--check')) await writeFile(path, text);
  else if ((await readFile(path, 'utf8').catch(() => '')) !== text) {
    process.stderr.write(`${path} is outdated: run npm run generate\n`);
    process.exitCode = 1;
  }
}

async function types(document) {
  const output = await mkdtemp(join(tmpdir(), 'client-types-'));
  try {
    await createClient({
      input: withoutErrors(document),
      output: { path: output, header: [heading.trim()] },
      logs: { level: 'silent', file: false },
      plugins: [{ name: '@hey-api/typescript' }],
    });
    return await readFile(join(output, 'types.gen.ts'), 'utf8');
  } finally {
    await rm(output, { recursive: true });
  }
}

/** Removes the types of errors: all have the same shape, and the client throws a class of its own. */
function withoutErrors(document) {
  const copy = structuredClone(document);
  for (const { operation } of operationsOf(copy)) {
    for (const status of Object.keys(operation.responses)) {
      if (status >= '400') delete operation.responses[status];
    }
  }
  delete copy.components.schemas.Error;
  return copy;
}

function operations(document) {
  const all = operationsOf(document);
  const typeNames = all.flatMap(({ name }) => [`${pascal(name)}Data`, `${pascal(name)}Responses`]);
  return [
    heading,
    `import type { Operation } from '../operation.js';`,
    `import type {\n${typeNames.map((name) => `  ${name},\n`).join('')}} from './types.js';\n`,
    '/** All operations of the API. */',
    'export interface Operations {',
    ...all.flatMap(({ name, operation: { summary, description = '' } }) => [
      `  /** ${[`${summary}.`, ...description.split('\n\n', 1)].join(' ').trim()} */`,
      `  readonly ${name}: Operation<${pascal(name)}Data, ${pascal(name)}Responses>;`,
    ]),
    '}\n',
    '/** Method and path of each operation. */',
    'export const operations = {',
    ...all.map(({ name, method, path }) => `  ${name}: ['${method}', '${path}'],`),
    '} as const satisfies Record<keyof Operations, readonly [method: string, path: string]>;\n',
  ].join('\n');
}

function errorCodes({ components }) {
  const codes = components.headers['x-error-code'].schema.enum;
  const union = codes.map((code) => `\n  | '${code}'`).join('');
  return `${heading}\n/** The values of \`x-error-code\` in error responses. */\nexport type ErrorCode =${union};\n`;
}

function operationsOf({ paths }) {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      name: operation.operationId,
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
}

function pascal(name) {
  return `${name[0].toUpperCase()}${name.slice(1)}`;
}
