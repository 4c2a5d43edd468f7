/** Who is at the other end of a connection, as far as a connection tells. */
export interface Visitor {
  readonly ip: string;
  readonly userAgent: string;
  /** What fairness and limits count by: the address, or for IPv6 its /64, which one household has whole. */
  readonly source: string;
}
