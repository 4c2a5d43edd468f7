import { seconds } from '../src/contract/durations.ts';
import { openClient } from '../src/testing/client.ts';
import { openNode } from '../src/testing/node.ts';
import { type Answering, type CallStub, ills, lowBalance, openCallStub, ringing } from './call-stub.ts';
import { callMutations } from './calls-mutations.ts';
import type { Databases } from './databases.ts';
import type { Drill } from './drill.ts';
import type { Row } from './table.ts';

/** What the contract promises to whoever waits for a call. */
const answersWithin = seconds(5);
const names = ['ucaller', 'smsru', 'webhook'] as const;
type Name = (typeof names)[number];

/** How a provider answers, by its place in CALL_PROVIDERS. */
type Providers = readonly (readonly [name: Name, answer: Answering])[];

interface Scenario {
  readonly ill: string;
  readonly providers: Providers;
  /** Whether somebody is left who can call. */
  readonly rings: boolean;
}

const ring = (name: Name) => [name, ringing[name] as Answering] as const;

const scenarios: readonly Scenario[] = [
  ...names.flatMap((name, at) =>
    [...Object.entries(ills), ['low balance', lowBalance[name] as Answering] as const].map(([ill, answer]) => ({
      ill: `${name}: ${ill}`,
      providers: [[name, answer] as const, ring(names[(at + 1) % names.length] as Name)],
      rings: true,
    })),
  ),
  {
    ill: 'the first two never answer',
    providers: [
      ['ucaller', ills['slow (never answers)'] as Answering],
      ['smsru', ills.dripping as Answering],
      ring('webhook'),
    ],
    rings: true,
  },
  {
    ill: 'nobody answers',
    providers: names.map((name) => [name, ills['slow (never answers)'] as Answering] as const),
    rings: false,
  },
];

export const drill: Drill = {
  promise:
    'Whoever waits for a call is answered in five seconds, each provider is asked at most once, and nobody is told the digits.',
  atOnce: 4,
  scenes: scenarios.map((scenario) => ({ name: scenario.ill, play: (databases) => play(databases, scenario) })),
  mutations: callMutations,
};

async function play(databases: Databases, { ill, providers, rings }: Scenario): Promise<Row> {
  const stubs = await Promise.all(providers.map(([, answer]) => openCallStub(answer)));
  const service = await openNode({
    database: await databases.fresh('sqlite'),
    settings: { PHONE_CONFIRMATION: 'required', ...settingsOf(providers, stubs) },
    clock: { offset: 0 },
  });
  const browser = openClient(service.url, { ip: '203.0.113.7' });
  await browser.get('/auth/csrf');
  const began = performance.now();
  const placed = await browser.post('/auth/phone/call', { phone: '+49 1512 3456789', locale: 'de' });
  const took = Math.round(performance.now() - began);

  const digits = digitsRung(providers.at(-1)?.[0], stubs.at(-1));
  const confirmed = rings
    ? (await browser.post('/auth/phone/confirm', { call: placed.body.call, digits })).status
    : undefined;
  const asked = stubs.map((stub) => stub.asked.length);
  const told = [...JSON.stringify(placed.body).matchAll(/\d{4}/g)].some(([found]) => rings && found === digits);
  await service.close();
  for (const stub of stubs) await stub.close();

  const answered = rings ? placed.status === 201 : placed.status === 503 && placed.body.code === 'call_failed';
  return {
    held:
      answered &&
      took <= answersWithin &&
      asked.every((count) => count === 1) &&
      !told &&
      (!rings || confirmed === 200),
    seen: {
      'the first provider is': ill,
      answer: rings ? placed.status : `${placed.status} ${placed.body.code}`,
      ms: took,
      'asked, by provider': providers.map(([name], at) => `${name} ${asked[at]}×`).join(', '),
      'digits confirm': confirmed ?? '–',
    },
  };
}

function settingsOf(providers: Providers, stubs: readonly CallStub[]): Record<string, string> {
  const urlOf = (name: Name) => stubs[providers.findIndex(([one]) => one === name)]?.url ?? 'http://127.0.0.1:1';
  return {
    CALL_PROVIDERS: providers.map(([name]) => name).join(),
    UCALLER_URL: urlOf('ucaller'),
    UCALLER_SERVICE_ID: '103000',
    UCALLER_SECRET: 'a secret of the drill',
    SMSRU_URL: urlOf('smsru'),
    SMSRU_API_ID: 'a secret of the drill',
    WEBHOOK_CALL_URL: urlOf('webhook'),
    WEBHOOK_CALL_SECRET: 'a secret of the drill',
  };
}

/** What the person reads off the caller's number: sms.ru chose it, the others were sent it. */
function digitsRung(name: Name | undefined, stub: CallStub | undefined): string {
  if (name === 'smsru') return '4083';
  return /"code":"(\d{4})"/.exec(stub?.asked[0] ?? '')?.[1] ?? '';
}
