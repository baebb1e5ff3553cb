const duplicateKey = 11_000;
const retries = 10;

const options = { readConcern: { level: 'snapshot' }, writeConcern: { w: 'majority' } };

/** Runs work in a transaction, again when it lost a race for a unique index. */
export async function inTransaction(client, work) {
  for (let attempt = 0; ; attempt++) {
    try {
      return await client.withSession((session) =>
        session.withTransaction(() => work(session), options),
      );
    } catch (error) {
      if (error.code !== duplicateKey || attempt === retries) throw error;
    }
  }
}

const tails = new Map();

/** Runs work after the work before it that has the same key. */
export async function inTurn(key, work) {
  const before = tails.get(key);
  const { promise, resolve } = Promise.withResolvers();
  tails.set(key, promise);
  try {
    await before;
    return await work();
  } finally {
    if (tails.get(key) === promise) tails.delete(key);
    resolve();
  }
}
