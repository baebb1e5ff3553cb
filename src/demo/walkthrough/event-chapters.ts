import type { Chapter, DemoRun } from './demo-run.js';

/** A partner that nobody can send webhooks to. */
export const eventChapters: readonly Chapter[] = [
  { title: 'Who cannot receive them asks for the events, in their order', execute: readEvents },
];

/** Numbers come a moment after the changes. */
const patience = 'wait=10';

async function readEvents({ client }: DemoRun): Promise<void> {
  const first = { method: 'GET', path: `events?after=0&limit=1&${patience}` } as const;
  const { body } = await client.ask(first, { status: 200, body: { data: [{ sequence: 1 }] } });
  const { next } = body as { next: number };
  await client.show(
    { method: 'GET', path: `events?after=${next}&limit=1&types=lead.*&${patience}` },
    { status: 200, body: { data: [{ type: 'lead.created' }] } },
  );
}
