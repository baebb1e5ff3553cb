import { once } from 'node:events';
import { connect } from 'node:net';
import { BSON, type ObjectId } from 'mongodb';
import type { BlackBox } from './shared-service.js';

/**
 * `whole` begins with a two-byte character. `shown` is its form in responses after {@link truncateTexts} has cut that
 * character.
 */
export const truncated = { whole: 'م~~~', shown: '\u{FFFD}~~~~' } as const;
const secondByte = Buffer.from(truncated.whole).subarray(1);
const replacement = '~'.repeat(secondByte.length);

/** The opcode of OP_MSG in MongoDB's wire protocol. */
const opMsg = 2013;
const headerBytes = 21;

/**
 * Overwrites the second byte of every {@link truncated} in a stored document. This leaves half a character, as
 * programs do that truncate strings by bytes. The driver refuses such strings, so the command goes through a raw socket.
 */
export async function truncateTexts(
  { db, databaseUri }: Pick<BlackBox, 'db' | 'databaseUri'>,
  collection: string,
  _id: ObjectId,
): Promise<void> {
  const document = await db.collection(collection).findOne({ _id });
  const updates = [{ q: { _id }, u: document }];
  const command = Buffer.from(
    BSON.serialize({ update: collection, updates, $db: db.databaseName }),
  );
  let count = 0;
  for (let at = -1; (at = command.indexOf(secondByte, at + 1)) >= 0; count++) {
    command.write(replacement, at);
  }
  if (count === 0) throw new Error('The document has no string to truncate.');
  const header = Buffer.alloc(headerBytes);
  header.writeInt32LE(headerBytes + command.length, 0);
  header.writeInt32LE(opMsg, 12);
  const { hostname, port } = new URL(databaseUri);
  const host = decodeURIComponent(hostname);
  const socket = host.startsWith('/') ? connect(host) : connect(Number(port), host);
  socket.write(Buffer.concat([header, command]));
  const [reply] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  const { nModified } = BSON.deserialize(reply.subarray(headerBytes));
  if (nModified !== 1) throw new Error(`The update was not stored: ${String(reply)}`);
}
