// What the runtime's ceiling answers: the bytes that the service answers, taken once.
import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { once } from 'node:events';
import { apiKeyOf, recordSystemIdOf } from '../data/names.mjs';
import { prefix } from '../driving/requests.mjs';
import { paths } from '../driving/workloads.mjs';

const lead = { recordSystemId: recordSystemIdOf(0, 0), data: { note: 'Asked.' } };

/** Takes the answers from the service and writes the file that the ceiling reads. */
export async function writeFixedAnswers(service, file) {
  const answers = [
    await taken(service, { method: 'POST', path: '/leads', body: JSON.stringify(lead) }),
    await taken(service, { path: paths.compounds }),
    await taken(service, { path: paths.units }),
    // The first header that a request has decides, and polls have both.
    {
      ...(await taken(service, { path: paths.units })),
      when: 'if-none-match',
      status: 304,
      body: '',
    },
    await taken(service, { path: paths.units, when: 'accept-encoding', value: 'br' }),
    await taken(service, { path: paths.filtered }),
  ];
  await writeFile(file, JSON.stringify(answers));
}

/** Compressed bytes are taken as they come, which `fetch` does not do. */
async function taken(service, { method = 'GET', path, body, when, value }) {
  const sent = request(service.url + prefix + path, {
    method,
    headers: {
      'api-key': apiKeyOf(0),
      'content-type': 'application/json',
      ...(when === undefined ? {} : { [when]: value }),
    },
  });
  sent.end(body);
  const [response] = await once(sent, 'response');
  const bytes = Buffer.concat(await response.toArray());
  if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode}`);
  return {
    method,
    path: prefix + path.split('?')[0],
    ...(when === undefined ? {} : { when }),
    status: response.statusCode,
    type: response.headers['content-type'],
    encoding: response.headers['content-encoding'],
    body: bytes.toString('base64'),
  };
}
