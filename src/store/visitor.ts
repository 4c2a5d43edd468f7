/** Addresses that one customer of a network may hold together, so that limits count them together, too. */
export interface Network {
  /** In CIDR notation. */
  readonly name: string;
  /** As many sources as it is allowed to count for. */
  readonly sources: number;
}

/** Where work and requests come from, as fairness and rate limits count them. */
export type Origin = Pick<Visitor, 'source' | 'networks'>;

/** Who is at the other end of a connection, as far as a connection tells. */
export interface Visitor {
  readonly ip: string;
  readonly userAgent: string;
  /** What the browser calls its time zone; undefined when it does not say. */
  readonly timeZone: string | undefined;
  /** What fairness and limits count by: the address, or for IPv6 its /64, which one household has whole. */
  readonly source: string;
  /** The wider networks of an IPv6 source, the /56 and the /48: whoever has one of them has every /64 in it. */
  readonly networks: readonly Network[];
  /** The same where money is spent: also the /24 of an IPv4 address, many of which are rented whole. */
  readonly paidNetworks: readonly Network[];
}
