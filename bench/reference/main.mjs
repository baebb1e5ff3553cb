// The reference: what the service does for the measured requests, as lean as it can be written by hand with Fastify
// and the driver. No framework, no caches but that of API keys. It knows one process, ignores what other programs may
// have stored in unusual types, and neither logs nor shuts down gracefully.
import { constants } from 'node:zlib';
import compress from '@fastify/compress';
import fastify from 'fastify';
import { MongoClient } from 'mongodb';
import { authentication } from './authentication.mjs';
import { addCallback } from './callback/route.mjs';
import { addCompounds } from './reads/compounds.mjs';
import { addLeads } from './leads/route.mjs';
import { addUnits } from './reads/units.mjs';

const prefix = '/external/apis/v1.0';

const client = await new MongoClient(process.env.MONGODB_URI, { maxPoolSize: 100 }).connect();
const app = fastify({
  ajv: { customOptions: { coerceTypes: false, removeAdditional: false, allowUnionTypes: true } },
  keepAliveTimeout: 60_000,
});
await app.register(compress, {
  encodings: ['br', 'gzip'],
  globalDecompression: false,
  brotliOptions: {
    params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 },
  },
});
const db = client.db();
app.get(`${prefix}/healthz`, async () => ({ description: 'Reference', ok: true, version: 'v1.0' }));
await app.register(
  async (routes) => {
    routes.decorateRequest('caller', null);
    routes.addHook('onRequest', authentication(db));
    addLeads(routes, client);
    addCallback(routes, client);
    addCompounds(routes, db);
    addUnits(routes, db);
  },
  { prefix },
);
process.stdout.write(`Listening on ${await app.listen({ port: 0, host: '127.0.0.1' })}\n`);
