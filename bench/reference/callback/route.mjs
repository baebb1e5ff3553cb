import { ObjectId } from 'mongodb';
import { inTransaction } from '../transactions.mjs';
import { decide } from './decide.mjs';
import { callbackSchema } from './schema.mjs';
import { load, store } from './store.mjs';

const statuses = {
  reservationNotFound: 404,
  unitNotFound: 404,
  chequeNotFound: 404,
  notPendingChequeCollection: 422,
  unitAlreadyReserved: 422,
  walletFull: 422,
};

/** `POST /reservations/webhook`: what the steps before an error changed stays stored. */
export function addCallback(routes, client) {
  const db = client.db();
  routes.post('/reservations/webhook', {
    schema: { body: callbackSchema },
    handler: async (request, reply) => {
      const { error, reservation, cheque } = await inTransaction(client, (session) =>
        handle({ db, session, caller: request.caller, now: new Date() }, request),
      );
      reply.header('x-callback-reservation', reservation).header('x-callback-cheque', cheque);
      if (error !== undefined) return reply.code(statuses[error]).send({ message: error });
      return reply.code(201).send();
    },
    errorHandler: async (error, request, reply) => {
      const context = { db, caller: request.caller, now: new Date() };
      const outcome = { reservation: 'unchanged', cheque: 'none' };
      if (error.validation) await log(context, request, { status: 400, ...outcome });
      return reply.send(error);
    },
  });
}

async function handle(context, request) {
  const loaded = await load(context, request.body.reservationId);
  const decided =
    loaded === null
      ? { reservation: 'unchanged', cheque: 'none', error: 'reservationNotFound' }
      : decide(loaded, request.body);
  const { error, reservation, cheque } = decided;
  if (loaded !== null) await store(context, loaded, decided.state);
  await log(context, request, { status: statuses[error] ?? 201, reservation, cheque });
  return { error, reservation, cheque };
}

async function log({ db, session, caller, now }, { id, body }, { status, reservation, cheque }) {
  const { organizationId, apiKeyId } = caller;
  const reservationId = body?.reservationId;
  await db.collection('reservationCallbacks').insertOne(
    {
      _id: new ObjectId(),
      organizationId,
      apiKeyId,
      requestId: id,
      reservationId: typeof reservationId === 'string' ? reservationId.toLowerCase() : null,
      payload: body,
      outcome: { status, messages: [], reservation, cheque },
      createdAt: now,
      updatedAt: now,
    },
    { session },
  );
}
