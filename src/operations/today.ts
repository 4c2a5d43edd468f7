import { type ConcernCode, type ConcernParams, concerns as known } from '../contract/concerns.ts';
import { days, hours, iso, minutes } from '../contract/units.ts';
import { countLocked } from '../store/access/lockouts.ts';
import { countChanges } from '../store/accounts/search-keys.ts';
import type { Store } from '../store/database.ts';
import { listNodes } from '../store/operators/nodes.ts';
import { countsBetween } from '../store/operators/statistics.ts';
import type { Receiver } from '../webhooks/receivers.ts';
import { clientDoubts } from './clients.ts';
import { describeReceivers } from './webhooks.ts';

/** What does not work as it should, with where an operator continues. */
interface Concern {
  readonly code: ConcernCode;
  readonly state: 'failed' | 'warning';
  readonly params: ConcernParams;
  /** One sentence in English, with what to do. */
  readonly text: string;
}

interface Asked {
  readonly store: Store;
  readonly receivers: readonly Receiver[];
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** What the doctor found. */
  readonly examined: {
    readonly at: number | undefined;
    readonly isRunning: boolean;
    /** The name of the node that the doctor examined. */
    readonly node: string;
    readonly findings: readonly {
      readonly part: string;
      readonly state: 'ok' | Concern['state'];
      readonly says: string;
      readonly concern?: Pick<Concern, 'code' | 'params'>;
    }[];
  };
}

/** Everything that does not work, or may soon not work; nothing if all is well. */
export async function today({ store, receivers, now, examined }: Asked) {
  const nodes = await listNodes(store);
  const present = nodes.filter(({ seen_at }) => seen_at > now - missingAfter);
  const concerns = [
    ...examined.findings.flatMap(({ part, state, says, concern }): Concern[] =>
      state === 'ok' || !concern ? [] : [{ ...concern, state, text: `${part}: ${says}` }],
    ),
    ...concernsOfNodes(nodes, present),
    ...(await concernsOfDoubts(store, receivers)),
    ...(await concernsOfGuesses(store, now)),
    ...(await concernsOfFloods(store, now)),
    ...(await concernsOfSearch(store)),
  ];
  return {
    examined_at: examined.at === undefined ? null : iso(examined.at),
    examining: examined.isRunning,
    // Each node has files, settings and connections of its own.
    examined_node: present.length > 1 ? examined.node : null,
    items: concerns
      .toSorted((one, other) => Number(one.state === 'warning') - Number(other.state === 'warning'))
      .map((concern) => ({ ...concern, see: known[concern.code] })),
  };
}

/** Nodes report themselves twice a minute, and say when they stop. */
const missingAfter = minutes(2);

type Nodes = Awaited<ReturnType<typeof listNodes>>;

function concernsOfNodes(nodes: Nodes, present: Nodes): readonly Concern[] {
  const missing = nodes.filter((node) => !present.includes(node));
  const versions = [...new Set(present.map(({ version }) => version))];
  return [
    ...missing.map(({ name, seen_at }): Concern => {
      const since = iso(seen_at);
      const text = `The node ${name} has not been seen since ${since}, and did not say that it stops: look at its log.`;
      return { code: 'node_missing', state: 'warning', params: { node: name, since }, text };
    }),
    ...(versions.length > 1
      ? [
          {
            code: 'versions_differ',
            state: 'warning',
            params: { versions: versions.join(', ') },
            text: `Nodes run different versions: ${versions.join(', ')}. Update the others.`,
          } as const,
        ]
      : []),
  ];
}

/** What an operator gave to others before losing access or the role. */
async function concernsOfDoubts(store: Store, receivers: readonly Receiver[]): Promise<readonly Concern[]> {
  return [
    ...(await describeReceivers(store, receivers)).flatMap(({ receiver, doubt }): Concern[] => {
      if (!doubt) return [];
      const name = doubt.name ?? doubt.by;
      const text = `${receiver} gets no events: it or a secret of it is from ${name}, who lost access or the role within 72 hours. Check it, then enable or remove it.`;
      return [{ code: 'receiver_doubted', state: 'warning', params: { receiver, name, since: doubt.since }, text }];
    }),
    ...(await clientDoubts(store)).map(({ name: application, doubt }): Concern => {
      const name = doubt.name ?? doubt.by;
      const text = `${name} added or changed the application ${application}, and lost access or the role within 72 hours. Check its addresses and secrets, then confirm or remove it.`;
      return { code: 'application_doubted', state: 'warning', params: { application, name, since: doubt.since }, text };
    }),
  ];
}

/** Fewer are people who forgot their passwords. */
const manyLocked = 20;
const countedAtMost = 10_000;

async function concernsOfGuesses(store: Store, now: number): Promise<readonly Concern[]> {
  const locked = await countLocked(store, { now, max: countedAtMost });
  if (locked < manyLocked) return [];
  const count = locked === countedAtMost ? `${countedAtMost} or more` : locked;
  const text = `Someone guesses passwords: wrong ones lock ${count} addresses and devices now. They unlock by themselves.`;
  return [{ code: 'guesses', state: 'warning', params: { count: locked }, text }];
}

/** Fewer in an hour are typing errors, as are fewer than the sign-ins of a large service. */
const manyRefused = 1000;
/** A network with this share of them is worth blocking. */
const majority = 0.5;

/** The worst hour of the last day, so that the night shows in the morning. */
async function concernsOfFloods(store: Store, now: number): Promise<readonly Concern[]> {
  const span = { from: now - days(1), to: now };
  const signIns = await countsBetween(store, { series: 'sign_ins', ...span });
  const sumIn = (hour: number, isRefused: boolean) =>
    signIns
      .filter((row) => row.hour === hour && row.label.startsWith('refused ') === isRefused)
      .reduce((sum, { count }) => sum + count, 0);
  const [worst] = [...new Set(signIns.map(({ hour }) => hour))]
    .map((hour) => ({ hour, count: sumIn(hour, true) }))
    .filter(({ hour, count }) => count >= manyRefused && count > sumIn(hour, false))
    .sort((one, other) => other.count - one.count);
  if (!worst) return [];
  const { hour, count } = worst;
  const networks = await countsBetween(store, { series: 'refused_from', from: hours(hour), to: hours(hour) });
  const [loudest] = networks.toSorted((one, other) => other.count - one.count);
  const share = (loudest?.count ?? 0) / count;
  const params = { count, since: iso(hours(hour)), until: iso(hours(hour + 1)) };
  const text = `Refused sign-ins between ${params.since} and ${params.until}: ${count}`;
  return [
    loudest && share >= majority
      ? {
          ...{ code: 'flood', state: 'warning', params: { ...params, network: loudest.label, share } },
          text: `${text}, ${Math.round(share * 100)} % of them from ${loudest.label}. If that goes on, block this network in the firewall or proxy.`,
        }
      : {
          ...{ code: 'flood_spread', state: 'warning', params },
          text: `${text}, from many networks. Addresses that someone guesses at lock by themselves; if that goes on, ask your network provider for protection.`,
        },
  ];
}

/** A change is noted for a moment only. */
const manyChanges = 1000;

async function concernsOfSearch(store: Store): Promise<readonly Concern[]> {
  if ((await countChanges(store, manyChanges)) < manyChanges) return [];
  const text = 'Searches do not find all people yet: their search keys are still being written, as after an import.';
  return [{ code: 'search_incomplete', state: 'warning', params: {}, text }];
}
