import type { Chapter, DemoRun } from './demo-run.js';

/** A partner that nobody can send webhooks to. */
export const eventChapters: readonly Chapter[] = [
  { title: 'Who cannot receive them asks for the events, in their order', execute: readEvents },
];

/** Numbers come a moment after the changes. */
const patience = 'wait=10';

/** Or one would take it for a mistake. */
const whyEmpty =
  'This person was erased in an earlier chapter: the event stays, its data is empty.';

async function readEvents({ client, print }: DemoRun): Promise<void> {
  const first = { method: 'GET', path: `events?after=0&limit=1&${patience}` } as const;
  const { body } = await client.ask(first, { status: 200, body: { data: [{ sequence: 1 }] } });
  const { next } = body as { next: number };
  print('');
  print(`  ${whyEmpty}`);
  await client.show(
    { method: 'GET', path: `events?after=${next}&limit=1&types=lead.*&${patience}` },
    { status: 200, body: { data: [{ type: 'lead.created' }] } },
  );
}
