import type { CallWay, ConfirmationWay } from '../../../contract/call-ways.ts';
import { days, hours, seconds } from '../../../contract/durations.ts';
import type { Service } from '../../../server/foundation.ts';
import type { StoreTransaction } from '../../../store/database.ts';
import { limitKey } from '../../../store/limit-keys.ts';
import { type Counted, countRequestIn, type Limit, limitsFreeAt } from '../../../store/limits.ts';
import type { Visitor } from '../../../store/visitor.ts';

/** The pause between two calls to a number. */
export const callResend = seconds(60);

/** A limit that is reached, with the wait until it is free, in milliseconds. */
export class TooManyCalls extends Error {
  readonly wait: number;
  /** What else the same person may ask for at once, where only this is reached. */
  readonly ways?: readonly ConfirmationWay[];
  constructor(wait: number, ways?: readonly ConfirmationWay[]) {
    super('too many calls');
    this.wait = wait;
    if (ways) this.ways = ways;
  }
}

/**
 * Wrong digits for a number, across all calls to it, so that asking again is no way to go on guessing. Counted by who asked for the
 * call: a stranger's tries are not its owner's.
 */
export const triesOf = ({ phone, source }: { phone: string; source: string | null }): Limit => ({
  key: limitKey('phone-tries', phone, source ?? ''),
  limit: 9,
  within: days(1),
});

/** Also of tries that nobody looked at, because the provider does not answer. */
export const checksOf = (phone: string): Limit => ({
  key: limitKey('phone-checks', phone),
  limit: 30,
  within: hours(1),
});

/** What one number may be called: a phone that rings twice for one request counts twice. */
export const callsTo = (phone: string): Limit => ({ key: limitKey('phone-calls', phone), limit: 3, within: hours(1) });

interface Asked {
  readonly phone: string;
  readonly way: CallWay;
  readonly visitor: Visitor;
}

/**
 * Counts a call against what one number, one address and the networks around it may ask for, and begins it with that; what it
 * costs is counted where it is spent (`call-budget.ts`). Returns what may be given back where nobody's phone can ring (`store/limits.ts`).
 */
export async function countCall(
  service: Service,
  { phone, way, visitor }: Asked,
  begin: (trx: StoreTransaction) => Promise<void>,
): Promise<readonly string[]> {
  const now = service.now();
  const noTriesUntil = await limitsFreeAt(service.store, [triesOf({ phone, source: visitor.source })], now);
  if (noTriesUntil > now) throw new TooManyCalls(noTriesUntil - now, besidesCalls(service));

  const limits: readonly Limit[] = [
    // Whoever cannot take one kind of call may have the other at once.
    { key: limitKey('phone-pause', phone, way), limit: 1, within: callResend },
    callsTo(phone),
    ...ofAddress(service, visitor),
  ];
  const all = [...limits, ...attemptsOf(service, { phone, visitor })];
  const counted = await service.store.transaction().execute(async (trx) => {
    const outcome = await countRequestIn(trx, all, now);
    if (outcome.state === 'counted') await begin(trx);
    return outcome;
  });
  if (counted.state === 'counted') return counted.hits.slice(0, limits.length);
  const wait = counted.freeAt - now;
  // In the pause after one kind of call the others are there, beyond it nothing that calls or writes to the number.
  throw wait <= callResend ? new TooManyCalls(wait) : new TooManyCalls(wait, besidesCalls(service));
}

/** What costs no call: to offer what would be refused leads nobody on. */
const besidesCalls = ({ config }: Service): readonly ConfirmationWay[] =>
  config.PHONE_CONFIRMATION_BY_MAIL === 'on' ? ['mail'] : [];

function ofAddress({ config }: Service, { source, paidNetworks }: Visitor): Limit[] {
  const hourly = (name: string, limit: number) => ({ key: limitKey('phone-address', name), limit, within: hours(1) });
  return [
    hourly(source, config.CALLS_PER_ADDRESS),
    ...paidNetworks.map(({ name, sources }) => hourly(name, config.CALLS_PER_ADDRESS * sources)),
  ];
}

/** What is never given back, so that refused calls are no way to go on for ever. */
const attemptsOf = ({ config }: Service, { phone, visitor }: Omit<Asked, 'way'>): readonly Limit[] => [
  { key: limitKey('phone-attempts', phone), limit: 10, within: hours(1) },
  { key: limitKey('phone-attempts-of', visitor.source), limit: 4 * config.CALLS_PER_ADDRESS, within: hours(1) },
];

const mailsAnHour = 3;

/** The link by mail costs no call, so it waits for none of the limits above. */
export function countMail(
  trx: StoreTransaction,
  { config, now }: Service,
  { emailHash, visitor }: { emailHash: string; visitor: Visitor },
): Promise<Counted> {
  const hourly = (name: string, limit: number) => ({ key: limitKey('phone-mail', name), limit, within: hours(1) });
  return countRequestIn(
    trx,
    [
      hourly(emailHash, mailsAnHour),
      hourly(visitor.source, config.CALLS_PER_ADDRESS),
      ...visitor.networks.map(({ name, sources }) => hourly(name, config.CALLS_PER_ADDRESS * sources)),
    ],
    now(),
  );
}
