import { leadSchema } from './schema.mjs';
import { upsertLead } from './upsert.mjs';
import { inTurn } from '../transactions.mjs';

/** `POST /leads`. */
export function addLeads(routes, client) {
  routes.post('/leads', { schema: { body: leadSchema } }, async ({ caller, body }, reply) => {
    const upsert = () => upsertLead(client, caller, body);
    const { recordSystemId } = body;
    const result =
      recordSystemId === undefined
        ? await upsert()
        : await inTurn(`${caller.organizationId.toHexString()}:${recordSystemId}`, upsert);
    if (result.refusal !== undefined) return reply.code(400).send({ message: result.refusal });
    const lead = JSON.stringify(result.lead);
    return reply
      .code(result.operation === 'create' ? 201 : 200)
      .type('application/json; charset=utf-8')
      .send(`{"ok":true,"operation":"${result.operation}","lead":${lead},"newLead":${lead}}`);
  });
}
