import fc from 'fast-check';

export interface ForwardedAddress {
  readonly address: string;
  /** The same address as a proxy may write it. */
  readonly spelling: string;
}

const zones = fc.constantFrom('', '', '%eth0', '%1', '%25en0');
const ports = fc.option(fc.integer({ min: 0, max: 65_535 }), { nil: null });
const blanks = fc.constantFrom('', ' ', '\t', '  ');

/** Generates addresses with and without port, brackets, zone and blanks. */
export const forwardedAddress: fc.Arbitrary<ForwardedAddress> = fc
  .record({
    address: fc.oneof(fc.ipV4(), fc.ipV6()),
    zone: zones,
    port: ports,
    hasBrackets: fc.boolean(),
    before: blanks,
    after: blanks,
  })
  .map(({ address, zone, port, hasBrackets, before, after }) => {
    const isIpv6 = address.includes(':');
    const scoped = isIpv6 ? `${address}${zone}` : address;
    const needsBrackets = isIpv6 && (hasBrackets || port !== null);
    const enclosed = needsBrackets ? `[${scoped}]` : scoped;
    const spelling = `${before}${enclosed}${port === null ? '' : `:${port}`}${after}`;
    return { address, spelling };
  });
