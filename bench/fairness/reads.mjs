// Service and reference answer the same to the same reads.
import { coldCompounds, coldUnits, paths } from '../driving/workloads.mjs';
import { answerTo, assertSame } from './answers.mjs';

const requests = [
  ...Object.values(paths).map((path) => ({ path })),
  ...Object.values(paths).map((path) => ({ path, headers: { language: 'ar-eg' } })),
  { path: '/compounds?page=7&limit=13' },
  { path: coldCompounds() },
  { path: coldUnits() },
  { path: '/units?sort=-price,beds&minBeds=3&limit=50&page=3' },
];

/** @throws Error that names the first read that differs */
export async function assertSameReads(service, reference) {
  for (const request of requests) {
    const [one, other] = await Promise.all([
      answerTo(service, request),
      answerTo(reference, request),
    ]);
    const { path } = request;
    assertSame(`The status of ${path}`, one.status, other.status);
    assertSame(`The size of ${path}`, one.bytes.length, other.bytes.length);
    assertSame(path, JSON.parse(one.bytes), JSON.parse(other.bytes));
  }
  for (const subject of [service, reference]) await assertUnchanged(subject);
}

/** A tag brings 304, from the service and from the reference. */
async function assertUnchanged(subject) {
  const { headers } = await answerTo(subject, { path: paths.units });
  const tagged = { 'if-none-match': headers.get('etag') };
  const { status } = await answerTo(subject, { path: paths.units, headers: tagged });
  assertSame(`A tag that is current (${subject.name})`, status, 304);
}
