import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { seconds } from '../src/contract/units.ts';
import { openClient } from '../src/testing/client.ts';
import { openTestNode } from '../src/testing/test-node.ts';
import { type Drill, type FreshDatabase, judged, type Row, type Stage } from './drill.ts';

/** Stub of a provider's API: real HTTP on this machine. */
interface CallStub {
  readonly url: string;
  /** The bodies of all requests. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

type Answering = (response: ServerResponse, body: string) => void;

async function openCallStub(answer: Answering): Promise<CallStub> {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    asked.push(body);
    answer(response, body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

const say =
  (status: number, text: string): Answering =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(text);
  };

/** Failures that any provider can have. */
const ills: Readonly<Record<string, Answering>> = {
  'slow (never responds)': () => undefined,
  'slow (10 s)': (response, body) => {
    const late = setTimeout(() => say(200, '{}')(response, body), 10_000).unref();
    response.once('close', () => clearTimeout(late));
  },
  '500': say(500, '{"error":"internal"}'),
  dripping(response) {
    response.writeHead(200, { 'content-type': 'application/json' });
    const drip = setInterval(() => response.write(' '), 50);
    response.once('close', () => clearInterval(drip));
  },
  'wrong JSON': say(200, '["placed",4083,{"status":'),
  'other JSON': say(200, '["placed",4083]'),
  'broken connection': (response) => response.destroy(),
};

/** Each provider's response if our account is empty. */
const lowBalance: Readonly<Record<string, Answering>> = {
  ucaller: say(402, '{"status":false,"error":"not enough money","code":1002}'),
  smsru: say(200, '{"status":"ERROR","status_code":201,"status_text":"no money"}'),
  webhook: say(402, '{}'),
};

/** Each provider's response if the phone rings, with its own digits or with those of the request. */
const ringing: Readonly<Record<string, Answering>> = {
  ucaller: say(200, '{"status":true,"ucaller_id":103000,"phone":79991234567,"code":7777}'),
  smsru: say(200, '{"status":"OK","code":"4083","call_id":"000000-10000000","cost":0.4,"balance":4122.56}'),
  webhook: say(200, '{}'),
};

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

const requests = 1000;
const networks = 30;
const maxConcurrent = 10;
/** Calls placed out of the thousand; each costs money, and none is confirmed. */
const maxPlaced = 40;

/** A service with default settings, which calls every country, and an attacker who earns from calls to one range. */
async function playTollFraud(stage: Stage): Promise<Row> {
  const stub = await openCallStub((response, body) => ringing.webhook?.(response, body));
  stage.atEnd(() => stub.close());
  const service = await openTestNode({
    database: await stage.fresh('sqlite'),
    settings: {
      PHONE_CONFIRMATION: 'required',
      CALL_PROVIDERS: 'webhook',
      WEBHOOK_CALL_URL: stub.url,
      WEBHOOK_CALL_SECRET: 'a-secret-of-the-drill',
      CALLS_PER_PREFIX: '',
      CALLS_PER_COUNTRY: '',
      CALLS_PER_NETWORK: '',
    },
    clock: { offset: 0 },
  });
  stage.atEnd(() => service.close());
  const statuses: number[] = [];
  const began = performance.now();
  const fraudster = async (first: number) => {
    for (let at = first; at < requests; at += maxConcurrent) {
      const browser = openClient(service.url, { ip: `198.18.${at % networks}.${1 + Math.floor(at / networks)}` });
      const phone = `+535${2_000_000 + at * 1237}`;
      statuses.push((await browser.post('/auth/phone/call', { phone, locale: 'es' })).status);
    }
  };
  await Promise.all(Array.from({ length: maxConcurrent }, (_, first) => fraudster(first)));
  const placed = stub.asked.length;
  const responses = new Set(statuses);
  return judged(
    {
      'first provider': `${requests} requests from ${networks} networks for one range`,
      response: [...responses].toSorted().join(', '),
      ms: Math.round(performance.now() - began),
      'requests by provider': `webhook ${placed}×`,
      confirmation: '–',
    },
    {
      'some calls are placed': placed > 0,
      [`at most ${maxPlaced} calls are placed`]: placed <= maxPlaced,
      'all other requests get a 429': [...responses].every((status) => status === 201 || status === 429),
    },
  );
}

export const drill: Drill = {
  promise:
    'A request for a call gets a response within 5 s, each provider gets at most one request, and no response reveals the digits.',
  maxConcurrent: 4,
  scenes: [
    ...scenarios.map((scenario) => ({ name: scenario.ill, play: (stage: Stage) => play(stage, scenario) })),
    { name: 'toll fraud', play: playTollFraud },
  ],
};
