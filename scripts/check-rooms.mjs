// Checks where queries, business words and files stand. Its rules are in docs/architecture.md, "Rooms".
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';

const businessWord = /lead|cheque|reservation|compound/i;

/** Code that leaves the checked queries of a model, and the files that may contain it. */
const exceptions = [
  {
    // Documents are plain objects, so nothing is saved or watched.
    pattern: /\b(model|document)\w*\.(save|watch)\(|middleware: false/,
    files: [],
  },
  {
    pattern: /\$(lookup|graphLookup|unionWith|merge|out)\b/,
    files: [
      // The guard names the stages that it refuses.
      'src/core/database/models/tenant-guard.ts',
      // A worker joins its due deliveries with their endpoints.
      'src/webhooks/deliveries/webhook-deliveries.repository.ts',
      // A list of endpoints counts the deliveries of each.
      'src/webhooks/endpoints/webhook-endpoints.repository.ts',
      // The background job unites the leads of several indexes.
      'src/leads/phones/lead-phone-keys.repository.ts',
    ],
  },
  {
    pattern: /\bcollection\b.*\} = model|\b(model|this\.\w+)\.collection\b/,
    files: [
      // It says why.
      'src/core/database/models/batches.ts',
      // Creates collections, indexes and validators, and reads no documents.
      'src/core/database/structure/database-structure.ts',
      'src/core/database/structure/indexes.ts',
    ],
  },
];

const maxFiles = 14;
/** A language has one file of messages for each feature; a page of the console may be the only one of its subject. */
const mayBeAlone = /\/messages\/|^src\/operator\/console\/pages\//;

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'src'])
  .toString()
  .split('\n')
  .filter((file) => file !== '');
const failures = [];

for (const file of files.filter((name) => /\.(tsx?|json|js)$/.test(name))) {
  const lines = readFileSync(file, 'utf8').split('\n');
  lines.forEach((line, index) => {
    const place = `${file}:${index + 1}`;
    if (file.startsWith('src/core/') && businessWord.test(line)) {
      failures.push(`${place} names business in core: ${line.trim()}`);
    }
    for (const { pattern, files: allowed } of exceptions) {
      if (/\.spec\.tsx?$/.test(file) || allowed.includes(file) || !pattern.test(line)) continue;
      failures.push(`${place} leaves the queries of models: ${line.trim()}`);
    }
  });
}

const byFolder = Map.groupBy(
  files.filter((file) => !/\.spec\.tsx?$/.test(file)),
  (file) => dirname(file),
);
for (const [folder, contents] of byFolder) {
  const hasFolders = [...byFolder.keys()].some((other) => other.startsWith(`${folder}/`));
  if (contents.length > maxFiles) {
    failures.push(`${folder} has ${contents.length} files; divide it`);
  }
  if (contents.length === 1 && !hasFolders && !mayBeAlone.test(`${folder}/`)) {
    failures.push(`${folder} has one file; move it to its users`);
  }
}

for (const failure of failures) process.stderr.write(`${failure}\n`);
process.exitCode = failures.length === 0 ? 0 : 1;
