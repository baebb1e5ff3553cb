// Measures the memory of the service while eight large responses are read concurrently: units of a compound
// with 10,050 units, all of 5,000 compounds, and exports. Counts the units of each export as well.
// `npm run bench:memory`
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import { MongoClient, ObjectId } from 'mongodb';
import { startMongod } from '../dist/development/embedded/embedded-mongod.js';
import { nodeFlags } from './measuring/node-flags.mjs';

const unitCount = 10_050;
const compoundCount = 5_000;
const limitInMegabytes = 300;
const readers = {
  json: (text) => JSON.parse(text).data,
  csv: (text) => parse(text, { columns: true }),
  ndjson: (text) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
};
const large = '/external/apis/v1.0';
const paths = [
  '/compounds/big/units',
  '/compounds/big/units',
  '/compounds?all=1',
  '/compounds?all=1',
  '/units/export/all?format=json',
  '/units/export/all?format=json&sort=price',
  '/units/export/all?format=csv',
  '/units/export/all?format=ndjson',
];

const folder = await mkdtemp(join(tmpdir(), 'integration-api-bench-'));
const mongod = await startMongod(folder, {});
const uri = mongod.uri.replace('/?', '/bench?');
const client = await new MongoClient(uri).connect();
const service = await startService();
try {
  const key = await seed(client.db());
  print(`At rest              ${resident(service.child.pid).toFixed(0)} MB`);
  const rounds = [
    ['eight concurrently', {}, false],
    ['eight, gzip', { 'accept-encoding': 'gzip' }, false],
    ['eight, br', { 'accept-encoding': 'br' }, false],
    ['eight, slow readers', {}, true],
  ];
  for (const [name, headers, isSlow] of rounds) await measure(name, key, headers, isSlow);
  for (const format of Object.keys(readers)) await countExport(format, key);
  const peak = highest(service.child.pid);
  const verdict = peak < limitInMegabytes ? 'below' : 'ABOVE';
  print(`Highest ever         ${peak.toFixed(0)} MB, ${verdict} ${limitInMegabytes} MB`);
  process.exitCode = peak < limitInMegabytes ? 0 : 1;
} finally {
  service.child.kill('SIGTERM');
  await once(service.child, 'exit');
  await client.close();
  await mongod.stop();
  await rm(folder, { recursive: true, force: true });
}

async function measure(name, key, headers, isSlow) {
  let most = 0;
  const sampler = setInterval(() => (most = Math.max(most, resident(service.child.pid))), 20);
  const startedAt = performance.now();
  const sizes = await Promise.all(
    paths.map((path) => read(path, { 'api-key': key, ...headers }, isSlow)),
  );
  clearInterval(sampler);
  const seconds = (performance.now() - startedAt) / 1_000;
  const megabytes = sizes.reduce((sum, size) => sum + size, 0) / 1_048_576;
  print(
    `${name.padEnd(20)} ${most.toFixed(0)} MB resident, ${megabytes.toFixed(0)} MB received in ${seconds.toFixed(1)} s`,
  );
}

async function countExport(format, key) {
  const startedAt = performance.now();
  const response = await fetch(`${service.url}${large}/units/export/all?format=${format}`, {
    headers: { 'api-key': key },
  });
  const text = await response.text();
  const seconds = (performance.now() - startedAt) / 1_000;
  const units = readers[format](text);
  const total = response.headers.get('x-total-count');
  const megabytes = Buffer.byteLength(text) / 1_048_576;
  print(
    `export as ${format.padEnd(10)} ${units.length} of ${total} units, ${megabytes.toFixed(1)} MB in ${seconds.toFixed(1)} s`,
  );
}

async function read(path, headers, isSlow) {
  const request = get(`${service.url}${large}${path}`, { headers, agent: false });
  const [response] = await once(request, 'response');
  if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode}`);
  let size = 0;
  for await (const chunk of response) {
    size += chunk.length;
    // About 4 MB a second.
    if (isSlow) await delay((chunk.length / 4_194_304) * 1_000);
  }
  if (!response.complete) throw new Error(`${path} was cut off`);
  return size;
}

function resident(pid) {
  return statusOf(pid, 'VmRSS');
}

function highest(pid) {
  return statusOf(pid, 'VmHWM');
}

function statusOf(pid, field) {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(text)?.[1]) / 1_024;
}

async function startService() {
  const child = spawn(
    process.execPath,
    [...nodeFlags, join(import.meta.dirname, '../dist/main.js')],
    {
      env: {
        PATH: process.env.PATH,
        NODE_ENV: 'test',
        PORT: '0',
        HOST: '127.0.0.1',
        LOG_LEVEL: 'warn',
        MONGODB_URI: uri,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  return new Promise((resolve, reject) => {
    let text = '';
    // The pipe stays open and is read from: the service writes a line for each request.
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      const url = /Listening on\s+(http:\S+?)\/external/.exec(text)?.[1];
      if (url !== undefined) resolve({ child, url });
    });
    child.once('exit', () => reject(new Error(text)));
  });
}

function print(line) {
  process.stdout.write(`${line}\n`);
}

function named(name) {
  return { name: { 'en-us': name, 'ar-eg': `${name} بالعربية` } };
}

function pictures(count) {
  return Array.from({ length: count }, (_, index) => ({
    image: `https://cdn.example.com/pictures/${index}/living-room.jpg`,
    imageType: null,
    type: 'image',
  }));
}

async function seed(db) {
  const organizationId = new ObjectId();
  const now = new Date();
  const common = () => ({
    _id: new ObjectId(),
    organizationId,
    isDeleted: false,
    createdAt: now,
    updatedAt: now,
    __v: 0,
  });
  const key = randomBytes(16).toString('hex');
  await db
    .collection('organizations')
    .insertOne({ ...common(), _id: organizationId, name: 'Bench', logo: 'logo.png' });
  await db.collection('apiKeys').insertOne({
    ...common(),
    name: 'Bench',
    prefix: key.slice(0, 6),
    hash: createHash('sha256').update(key).digest('hex'),
    permissions: { allowExternal: true },
  });
  const insert = async (collection, count, make) => {
    const documents = Array.from({ length: count }, (_, index) => ({
      ...common(),
      ...make(index),
    }));
    await db.collection(collection).insertMany(documents);
    return documents.map(({ _id }) => _id);
  };
  const brochure = { dateUploaded: now, name: 'Plan', url: 'https://cdn.example.com/brochure.pdf' };
  const compounds = await insert('compounds', compoundCount, (index) => ({
    ...named(`Compound ${index}`),
    description: { 'en-us': 'Villas around a lake. '.repeat(10) },
    slug: index === 0 ? 'big' : `compound-${index}`,
    media: pictures(5),
    mainBrochure: brochure,
    brochures: [brochure],
  }));
  const amenities = await insert('amenities', 30, (index) => ({
    ...named(`Amenity ${index}`),
    icon: 'https://cdn.example.com/icon.svg',
    fontColor: '#000000',
    backgroundColor: '#ffffff',
  }));
  const types = await insert('propertyTypes', 5, (index) => ({
    ...named(`Type ${index}`),
    slug: `type-${index}`,
  }));
  const phases = await insert('phases', 10, (index) => ({
    ...named(`Phase ${index}`),
    slug: `phase-${index}`,
    parentId: compounds[0],
    media: pictures(3),
  }));
  const designs = await insert('unitDesigns', 60, (index) => ({
    ...named(`Design ${index}`),
    slug: `design-${index}`,
    media: pictures(4),
    offerGallery: pictures(2),
    amenitiesIds: amenities,
  }));
  await insert('units', unitCount, (index) => ({
    ...named(`Unit ${index}`),
    compoundId: compounds[0],
    locationId: phases[index % phases.length],
    propertyTypeId: types[index % types.length],
    unitDesignId: designs[index % designs.length],
    amenitiesIds: Array.from(
      { length: 8 },
      (_, place) => amenities[(index + place) % amenities.length],
    ),
    unitId: `U-${index}`,
    slug: `unit-${index}`,
    status: 'Available',
    price: 1e6 + ((index * 7_919) % 1e6),
    bua: 100 + (index % 200),
    beds: index % 5,
    floor: { name: 'Ground' },
    media: pictures(4),
    paymentPlansIds: amenities.slice(0, 4),
  }));
  return key;
}
