// The runtime's ceiling: Fastify answering fixed bytes, and nothing else. It is given a file of answers,
// `[{ method, path, when, status, type, encoding, body }]`, bodies in base64; `when` is a header that asks for this
// answer instead of the one without.
import { readFile } from 'node:fs/promises';
import fastify from 'fastify';

const [file] = process.argv.slice(2);
const app = fastify({ keepAliveTimeout: 60_000 });
const routes = Map.groupBy(
  JSON.parse(await readFile(file, 'utf8')),
  ({ method, path }) => `${method} ${path}`,
);
for (const answers of routes.values()) {
  const prepared = answers.map((answer) => ({
    ...answer,
    bytes: Buffer.from(answer.body, 'base64'),
  }));
  const usual = prepared.find(({ when }) => when === undefined);
  const others = prepared.filter((answer) => answer !== usual);
  const [{ method, path: url }] = answers;
  app.route({
    method,
    url,
    handler: async ({ headers }, reply) => {
      const answer = others.find(({ when }) => headers[when] !== undefined) ?? usual;
      if (answer.encoding) reply.header('content-encoding', answer.encoding);
      reply.code(answer.status);
      return answer.status === 304 ? reply.send() : reply.type(answer.type).send(answer.bytes);
    },
  });
}
process.stdout.write(`Listening on ${await app.listen({ port: 0, host: '127.0.0.1' })}\n`);
