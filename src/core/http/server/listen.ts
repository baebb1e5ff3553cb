import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { StartupError } from '../../configuration/startup-errors.js';
import type { Connections } from './connections.js';

export interface ListenAddress {
  readonly host: { readonly name: string; readonly value: string };
  readonly port: { readonly name: string; readonly value: number };
}

/**
 * @returns the address for a client on this machine, without a path
 * @throws StartupError
 */
export async function listenOn(
  fastify: FastifyInstance,
  connections: Connections,
  to: ListenAddress,
): Promise<string> {
  await fastify.ready();
  try {
    await connections.listen({ host: to.host.value, port: to.port.value });
  } catch (error) {
    const line = faultOf(error as NodeJS.ErrnoException, to);
    throw line === undefined ? error : new StartupError(line, { cause: error });
  }
  const { address, family, port } = fastify.server.address() as AddressInfo;
  if (family === 'IPv6') return `http://[${address === '::' ? '::1' : address}]:${port}`;
  return `http://${address === '0.0.0.0' ? '127.0.0.1' : address}:${port}`;
}

function faultOf({ code = '' }: NodeJS.ErrnoException, { host, port }: ListenAddress) {
  const faults: Readonly<Record<string, string>> = {
    EADDRINUSE: `${host.value}:${port.value} is in use, perhaps by an earlier start: stop that, or set ${port.name} to a free one.`,
    EADDRNOTAVAIL: `${host.value} is no address of this machine: set ${host.name} to one, such as 127.0.0.1.`,
    ENOTFOUND: `There is no host ${host.value}: set ${host.name} to an address of this machine, such as 127.0.0.1.`,
    EACCES: `This user may not listen on port ${port.value}: set ${port.name} to one from 1024 on.`,
  };
  return faults[code];
}
