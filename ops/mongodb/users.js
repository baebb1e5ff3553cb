// Creates the users of MongoDB with the least rights that the service needs, and initiates a new replica set before.
// Run it again to change passwords. mongosh runs it with access control on:
//
//   mongosh "$ADMIN_URI" ops/mongodb/users.js
//
// These variables contain connection strings with user and password, or `<name>_FILE` names a file with one:
//   ADMIN_URI     may create users. On a new server, to which mongosh must then connect over its loopback address, this
//                 script creates the user.
//   SERVICE_URI   reads and writes the service's database: MONGODB_URI of the running service
//   DATABASE_URI  also changes collections and indexes: MONGODB_URI of `db init` and other commands
//   BACKUP_URI    reads everything for mongodump; optional
'use strict';

const { readFileSync } = require('node:fs');

const unauthorized = 13;
const authenticationFailed = 18;
const waitMs = 120_000;

const admin = parsedUri('ADMIN_URI');
const service = parsedUri('SERVICE_URI');
const users = [
  [service, ['readWrite']],
  [parsedUri('DATABASE_URI'), ['readWrite', 'dbAdmin']],
].map(([uri, roles]) => [uri, roles.map((role) => ({ role, db: service.database }))]);
if (process.env.BACKUP_URI || process.env.BACKUP_URI_FILE) {
  users.push([parsedUri('BACKUP_URI'), [{ role: 'backup', db: 'admin' }]]);
}

const local = db.getSiblingDB('admin');
if (local.runCommand({ hello: 1 }).isreplicaset) initiate();
const server = adminConnection();
const unfinished = unfinishedConfiguration();
if (unfinished !== null) endInitiation(unfinished);
for (const [{ user, password }, roles] of users) {
  const exists = server.runCommand({ usersInfo: user }).users.length > 0;
  const command = exists ? 'updateUser' : 'createUser';
  server.runCommand({ [command]: user, pwd: password, roles });
  print(`${exists ? 'Updated' : 'Created'} the user ${user}.`);
}

/** Accepts the line `uri: mongodb://...` too, which is the configuration file of mongodump. */
function parsedUri(name) {
  const file = process.env[`${name}_FILE`];
  const text = process.env[name] || (file ? readFileSync(file, 'utf8') : '');
  const uri = text.trim().replace(/^uri: /, '');
  const parts = /^mongodb(?:\+srv)?:\/\/([^:@/]+):([^@/]+)@([^/]+)\/([^?]*)/.exec(uri);
  if (parts === null) throw new Error(`${name} must be mongodb://<user>:<password>@<hosts>/...`);
  const [user, password] = parts.slice(1, 3).map(decodeURIComponent);
  return { uri, user, password, hosts: parts[3].split(','), database: parts[4] };
}

/** The other members cannot be elected until the user exists, which only the primary's loopback address may create. */
function initiate() {
  const members = admin.hosts.map((host, _id) => ({ _id, host, priority: _id === 0 ? 1 : 0 }));
  local.runCommand({ replSetInitiate: { _id: 'rs0', members } });
  const deadline = Date.now() + waitMs;
  while (!local.runCommand({ hello: 1 }).isWritablePrimary) {
    if (Date.now() > deadline) throw new Error(`${admin.hosts[0]} does not become the primary.`);
    sleep(200);
  }
  print(`Initiated the replica set with ${admin.hosts.join(', ')}.`);
}

function adminConnection() {
  try {
    return connect(admin.uri).getSiblingDB('admin');
  } catch (error) {
    if (error.code !== authenticationFailed) throw error;
  }
  createAdmin();
  return connect(admin.uri).getSiblingDB('admin');
}

/** The server permits this without a password over its loopback address, while it has no user. */
function createAdmin() {
  try {
    local.runCommand({ createUser: admin.user, pwd: admin.password, roles: ['root'] });
    print(`Created the user ${admin.user}.`);
  } catch (error) {
    if (error.code !== unauthorized) throw error;
    throw new Error('The server has users, and refuses user or password of ADMIN_URI.', {
      cause: error,
    });
  }
}

/**
 * Returns the configuration of `initiate`, in which all members but the first cannot be elected; an interrupted run may
 * have left it. Returns null for any other configuration.
 */
function unfinishedConfiguration() {
  // A sharded cluster has none.
  if (local.runCommand({ hello: 1 }).setName === undefined) return null;
  try {
    const { config } = server.runCommand({ replSetGetConfig: 1 });
    const hosts = config.members.map(({ host }) => host);
    const isOwn =
      config.version === 1 &&
      hosts.length > 1 &&
      hosts.join() === admin.hosts.join() &&
      config.members.every(({ priority }, index) => priority === (index === 0 ? 1 : 0));
    return isOwn ? config : null;
  } catch (error) {
    // An administrator of users alone may not read the configuration.
    if (error.code !== unauthorized) throw error;
    return null;
  }
}

function endInitiation(config) {
  const members = config.members.map((member) => ({ ...member, priority: 1 }));
  server.runCommand({ replSetReconfig: { ...config, members, version: config.version + 1 } });
}
