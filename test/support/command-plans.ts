import type { Db, Document } from 'mongodb';
import { eventually } from './eventually.js';

/** A command may read this many documents beyond its results, which is fewer than the test collections contain. */
const tolerance = 120;
const profileBytes = 64 * 1_048_576;

/** Runs the work twice before it records commands, so that the recorded run uses cached plans. */
export async function profileCommands(db: Db, work: () => Promise<unknown>): Promise<Document[]> {
  for (let time = 0; time < 2; time++) await work();
  await eventually(() => emptyProfile(db));
  await db.command({ profile: 2 });
  try {
    await work();
  } finally {
    await db.command({ profile: 0 });
  }
  const profile = db.collection('system.profile');
  const commands = await profile.find({ planSummary: { $exists: true } }).toArray();
  await profile.drop();
  return commands.filter((command) => !listsOrganizations(command));
}

/** The console shows a list of all organizations, which no index serves. */
function listsOrganizations({ ns, command }: Document): boolean {
  const filter = (command as { filter?: object }).filter ?? {};
  return ns.endsWith('.organizations') && Object.keys(filter).join(' ') === 'isDeleted';
}

/** Replaces the profile, because its default size of 1 MB would drop the first commands of long work. */
async function emptyProfile(db: Db): Promise<void> {
  // A command that is still running is recorded when it ends, even after the drop.
  await db.collection('system.profile').drop();
  await db.createCollection('system.profile', { capped: true, size: profileBytes });
}

function summary({ ns, op, command, planSummary, docsExamined = 0, ...rest }: Document) {
  const returned = rest['nreturned'] ?? rest['nMatched'] ?? rest['ndeleted'] ?? 0;
  const statement = JSON.stringify(command).slice(0, 600);
  const { keysExamined = 0 } = rest;
  return { ns, op, planSummary, docsExamined, keysExamined, returned, statement };
}

/** Returns commands that examine more index entries than they need. Counts must be left out: they examine every entry. */
export function excessiveKeyReads(commands: readonly Document[]) {
  return commands
    .map(summary)
    .filter(({ keysExamined, returned }) => keysExamined > 5 * returned + tolerance);
}

export function collectionNames(commands: readonly Document[]): Set<string> {
  return new Set(commands.map(({ ns }) => String(ns.split('.').at(-1))));
}

export function wastefulCommands(commands: readonly Document[], allowed = tolerance) {
  if (commands.length === 0) throw new Error('No command was recorded.');
  return commands
    .map(summary)
    .filter(
      ({ planSummary, docsExamined, returned }) =>
        /COLLSCAN/.test(planSummary) || docsExamined > 3 * returned + allowed,
    );
}
