import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { StartupError } from '../../configuration/startup-errors.js';
import type { Connections } from './connections.js';

/** @param variables names of the settings of host and port, for errors */
export async function listenOn(
  fastify: FastifyInstance,
  connections: Connections,
  { host, port }: { readonly host: string; readonly port: number },
  variables: readonly [host: string, port: string],
): Promise<string> {
  await fastify.ready();
  try {
    await connections.listen({ host, port });
  } catch (error) {
    const [hostName, portName] = variables;
    const faults: Readonly<Record<string, string>> = {
      EADDRINUSE: `${host}:${port} is in use, perhaps by an earlier instance: stop it, or set ${portName} to a free port.`,
      EADDRNOTAVAIL: `${host} is not an address of this machine: set ${hostName} to an address of this machine, such as 127.0.0.1.`,
      ENOTFOUND: `The host ${host} cannot be resolved: set ${hostName} to an address of this machine, such as 127.0.0.1.`,
      EACCES: `This user may not listen on port ${port}: set ${portName} to 1024 or higher.`,
    };
    const fault = faults[(error as NodeJS.ErrnoException).code ?? ''];
    throw fault === undefined ? error : new StartupError(fault, { cause: error });
  }
  const { address, family, port: ownPort } = fastify.server.address() as AddressInfo;
  if (family === 'IPv6') return `http://[${address === '::' ? '::1' : address}]:${ownPort}`;
  return `http://${address === '0.0.0.0' ? '127.0.0.1' : address}:${ownPort}`;
}
