import { seconds } from '../../src/contract/units.ts';
import { openClient } from '../../src/testing/client.ts';
import { openTestNode } from '../../src/testing/test-node.ts';
import type { Drill } from '../drill.ts';
import type { FreshDatabase } from '../fixtures/databases.ts';
import type { Stage } from '../fixtures/stage.ts';
import { judged, type Row } from '../table.ts';
import { type Answering, type CallStub, ills, lowBalance, openCallStub, ringing } from './call-stub.ts';
import { tollFraud } from './toll-fraud.ts';

/** The response time that the contract promises to a waiting user. */
const responseTimeout = seconds(5);
const names = ['ucaller', 'smsru', 'webhook'] as const;
type Name = (typeof names)[number];

/** Each provider's response, in the order of CALL_PROVIDERS. */
type Providers = readonly (readonly [name: Name, answer: Answering])[];

interface Scenario {
  readonly ill: string;
  readonly providers: Providers;
  /** Whether any provider can still call. */
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
    ill: 'the first two never respond',
    providers: [
      ['ucaller', ills['slow (never responds)'] as Answering],
      ['smsru', ills.dripping as Answering],
      ring('webhook'),
    ],
    rings: true,
  },
  {
    ill: 'no provider responds',
    providers: names.map((name) => [name, ills['slow (never responds)'] as Answering] as const),
    rings: false,
  },
];

export const drill: Drill = {
  promise:
    'A request for a call gets a response within 5 s, each provider gets at most one request, and no response reveals the digits.',
  maxConcurrent: 4,
  scenes: [
    ...scenarios.map((scenario) => ({ name: scenario.ill, play: (stage: Stage) => play(stage, scenario) })),
    tollFraud,
  ],
};

/** All scenes share this process, so pages, which depend on the providers, are rendered before a call is measured. */
let rendered: Promise<void> | undefined;

async function renderAll(stage: Stage): Promise<void> {
  const byNames = new Map(scenarios.map(({ providers }) => [providers.map(([name]) => name).join(), providers]));
  for (const providers of byNames.values()) {
    await (await openOn(await stage.fresh('sqlite'), settingsOf(providers, []))).close();
  }
}

const openOn = (database: FreshDatabase, settings: Record<string, string>) =>
  openTestNode({ database, settings: { PHONE_CONFIRMATION: 'required', ...settings }, clock: { offset: 0 } });

async function play(stage: Stage, { ill, providers, rings }: Scenario): Promise<Row> {
  const stubs = await Promise.all(providers.map(([, answer]) => openCallStub(answer)));
  stage.atEnd(() => Promise.all(stubs.map((stub) => stub.close())));
  const settings = settingsOf(providers, stubs);
  rendered ??= renderAll(stage);
  await rendered;
  const service = await openOn(await stage.fresh('sqlite'), settings);
  stage.atEnd(() => service.close());
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
  const isRevealed = [...JSON.stringify(placed.body).matchAll(/\d{4}/g)].some(([found]) => rings && found === digits);

  const answered = rings ? placed.status === 201 : placed.status === 503 && placed.body.code === 'call_failed';
  return judged(
    {
      'first provider': ill,
      response: rings ? placed.status : `${placed.status} ${placed.body.code}`,
      ms: took,
      'requests by provider': providers.map(([name], at) => `${name} ${asked[at]}×`).join(', '),
      confirmation: confirmed ?? '–',
    },
    {
      'correct response': answered,
      'response within 5 s': took <= responseTimeout,
      'each provider gets one request': asked.every((count) => count === 1),
      'no response reveals the digits': !isRevealed,
      'the digits confirm the phone': !rings || confirmed === 200,
    },
  );
}

function settingsOf(providers: Providers, stubs: readonly CallStub[]): Record<string, string> {
  const urlOf = (name: Name) => stubs[providers.findIndex(([one]) => one === name)]?.url ?? 'http://127.0.0.1:1';
  return {
    CALL_PROVIDERS: providers.map(([name]) => name).join(),
    UCALLER_URL: urlOf('ucaller'),
    UCALLER_SERVICE_ID: '103000',
    UCALLER_SECRET: 'a-secret-of-the-drill',
    SMSRU_URL: urlOf('smsru'),
    SMSRU_API_ID: 'a-secret-of-the-drill',
    WEBHOOK_CALL_URL: urlOf('webhook'),
    WEBHOOK_CALL_SECRET: 'a-secret-of-the-drill',
  };
}

/** The digits that the user reads from the caller's number: sms.ru chose them, the others got them in the request. */
function digitsRung(name: Name | undefined, stub: CallStub | undefined): string {
  if (name === 'smsru') return '4083';
  return /"code":"(\d{4})"/.exec(stub?.asked[0] ?? '')?.[1] ?? '';
}
