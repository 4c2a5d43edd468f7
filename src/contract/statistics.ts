/** What statistics count, hour by hour; `refused_from` are the networks with the most refused sign-ins. */
export const statisticsSeries = [
  'sign_ins',
  'refused_from',
  'registrations',
  'calls',
  'emails',
  'response_times',
  'devices',
] as const;

export type StatisticsSeries = (typeof statisticsSeries)[number];

/** Upper limits of the ranges in which response times are counted, in milliseconds; the last range has none. */
export const responseTimeRanges = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000] as const;

/** The label of the range of a response time. */
export const rangeOf = (milliseconds: number): string =>
  String(responseTimeRanges.find((limit) => milliseconds <= limit) ?? 'more');
