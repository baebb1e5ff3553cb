import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Environment } from '../../configuration/environment.js';

/** Selects proxies whose `X-Forwarded-*` headers count; a number counts them from the nearest. */
export function trustProxyOption({ TRUST_PROXY: trusted }: Environment) {
  if (typeof trusted !== 'number') return trusted;
  return (_address: string, hop: number) => hop < trusted;
}

/**
 * Makes `request.ip` an address without a port, which some proxies add and which differs for each connection. Limits,
 * keys, console and logs read `request.ip`; Fastify computes it from this header.
 */
export function readForwardedAddresses(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', ({ raw }, _reply, done) => {
    removePorts(raw.headers);
    done();
  });
}

export function removePorts(headers: IncomingHttpHeaders): void {
  const forwarded = headers['x-forwarded-for'];
  if (typeof forwarded === 'string')
    headers['x-forwarded-for'] = forwarded.split(',').map(addressIn).join();
}

const addressWithPort = /^(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?$/;

/** Omits port, brackets and zone, which names an interface of the proxy; keeps text that is not an address. */
function addressIn(element: string): string {
  const text = element.trim();
  const [, inBrackets, beforePort] = addressWithPort.exec(text) ?? [];
  const address = inBrackets ?? beforePort ?? text;
  return isIP(address) === 0 ? text : address.replace(/%.*/, '');
}
