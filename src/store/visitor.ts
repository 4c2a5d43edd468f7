/** Addresses that one customer of a network may hold together, so that rate limits also count them together. */
export interface Network {
  /** In CIDR notation. */
  readonly name: string;
  /** How many sources it may count for. */
  readonly sources: number;
}

/** Origin of a request, as the fair gate and rate limits count it. */
export type Origin = Pick<Visitor, 'source' | 'networks' | 'work'>;

/** The client at the other end of a connection, as far as the connection reveals it. */
export interface Visitor {
  readonly ip: string;
  readonly userAgent: string;
  /** The browser's time zone; undefined if it sends none. */
  readonly timeZone: string | undefined;
  /** What the fair gate and rate limits count by: the address, or for IPv6 its /64, which belongs to one household. */
  readonly source: string;
  /** The wider networks of an IPv6 source, the /56 and the /48: the holder of one has every /64 in it. */
  readonly networks: readonly Network[];
  /**
   * Under a flood: `ready` to solve a task instead of waiting for long, or `done`, which is before others. Undefined for
   * requests without tasks and for browsers with a device cookie.
   */
  readonly work?: 'ready' | 'done' | undefined;
  /** The same for requests that cost money: also the /24 of an IPv4 address, since many are rented as a whole. */
  readonly paidNetworks: readonly Network[];
}
