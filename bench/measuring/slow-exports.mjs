// Memory of the service while large exports go to slow readers.
import { once } from 'node:events';
import { get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { apiKeyOf } from '../data/names.mjs';
import { prefix } from '../driving/requests.mjs';
import { paths } from '../driving/workloads.mjs';

const readers = 8;
/** About 8 MB a second for each reader. */
const bytesInSecond = 8 * 1_048_576;

/** Reads the export eight times at once, slowly. */
export async function readSlowly({ url }) {
  await Promise.all(Array.from({ length: readers }, () => readOne(url)));
}

async function readOne(url) {
  const request = get(url + prefix + paths.export, {
    headers: { 'api-key': apiKeyOf(0) },
    agent: false,
  });
  const [response] = await once(request, 'response');
  if (response.statusCode !== 200) throw new Error(`A slow export: ${response.statusCode}`);
  for await (const chunk of response) await delay((chunk.length / bytesInSecond) * 1_000);
  if (!response.complete) throw new Error('A slow export was cut off.');
}
