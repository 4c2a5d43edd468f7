#!/usr/bin/env node
// The reference agent: adds this computer to an account, and reports that it is alive and harmless facts about it.
// biome-ignore-all lint/style/noExcessiveLinesPerFile: one file, since one command fetches it
// One file without dependencies, for any Node from 20 on. How to write another one: docs/agents.md.
import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { homedir, hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { inspect, parseArgs } from 'node:util';

const version = '1.0.0';
const usage = `Usage:
  vestibule-agent enrol CODE --server URL [--name NAME]   add this computer to an account
  vestibule-agent run                                     report until it is stopped
  vestibule-agent status                                  tell what it is added to, and whether that answers
  vestibule-agent remove                                  take this computer out of the account
The folder --data DIR (or VESTIBULE_AGENT_DATA) keeps its token and what has not been sent yet.`;

const platform = { darwin: 'macos', win32: 'windows' }[/** @type {string} */ (process.platform)] ?? process.platform;
const second = 1000;
const beatEvery = Number(process.env.VESTIBULE_AGENT_BEAT_SECONDS ?? 60) * second;
const longestPause = 10 * 60 * second;
const answersWithin = 20 * second;
/** Records and bytes of a request; the service takes 100 records and 16 KiB. */
const batchRecords = 50;
const batchBytes = 12_000;
/** While the service is away for long, the oldest records go. */
const mostSpooled = 5000;
const lowDisk = 0.05;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    server: { type: 'string' },
    name: { type: 'string' },
    data: { type: 'string' },
    help: { type: 'boolean' },
  },
});
const folder = values.data ?? process.env.VESTIBULE_AGENT_DATA ?? join(homedir(), '.vestibule-agent');
const settingsFile = join(folder, 'agent.json');
const spoolFile = join(folder, 'spool.jsonl');
const seenFile = join(folder, 'seen.json');

/** What the person at the terminal is to read, without a stack. */
class Trouble extends Error {}

/** A file is either the old one or the new one, also after kill -9. */
function writeWhole(/** @type {string} */ file, /** @type {string} */ text) {
  writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
}

/** @returns {{ server: string, computer: string, token: string }} */
function readSettings() {
  if (!existsSync(settingsFile))
    throw new Trouble('This computer is not added yet: vestibule-agent enrol CODE --server URL');
  return JSON.parse(readFileSync(settingsFile, 'utf8'));
}

/** `body` is whatever JSON came, looked at only where it is used. @typedef {{ status: number, code: string | undefined, body: any, retryAfter: number }} Answer */

/** @returns {Promise<Answer>} `status` 0: nobody answered. */
async function ask(
  /** @type {string} */ server,
  /** @type {string} */ call,
  /** @type {{ body?: object, token?: string }} */ { body, token } = {},
) {
  const [method = '', path = ''] = call.split(' ', 2);
  try {
    const response = await fetch(server + path, {
      method,
      signal: AbortSignal.timeout(answersWithin),
      headers: {
        'user-agent': `vestibule-agent/${version}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(token && { authorization: `Bearer ${token}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const told = /** @type {any} */ (await response.json().catch(() => ({})));
    const retryAfter = Number(response.headers.get('retry-after') ?? 0) * second;
    return { status: response.status, code: told.code, body: told, retryAfter };
  } catch {
    return { status: 0, code: undefined, body: {}, retryAfter: 0 };
  }
}

/** The token goes nowhere without TLS but to this machine itself. */
function readServer(/** @type {string | undefined} */ text) {
  const url = URL.parse?.(text ?? '') ?? (URL.canParse(text ?? '') ? new URL(text ?? '') : null);
  const isHere = url !== null && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (!url || (url.protocol !== 'https:' && !(url.protocol === 'http:' && isHere)))
    throw new Trouble('--server must be the address of the service, such as https://account.example.com');
  return url.origin;
}

async function enrol(/** @type {string | undefined} */ code) {
  if (!code) throw new Trouble(usage);
  const server = readServer(values.server);
  if (existsSync(settingsFile))
    throw new Trouble('This computer is added already. Take it out first: vestibule-agent remove');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const name = values.name ?? hostname();
  const {
    status,
    code: refusal,
    body,
  } = await ask(server, 'POST /computers/enrol', { body: { code, name, platform } });
  if (status === 0) throw new Trouble(`${server} does not answer.`);
  if (refusal === 'enrolment_invalid')
    throw new Trouble('This code is no longer valid. Ask for a new one on the page.');
  if (status !== 201) throw new Trouble(`${server} refused: ${refusal ?? status}`);
  writeWhole(settingsFile, JSON.stringify({ server, computer: body.computer, token: body.device_token }));
  say(`Added as “${name}”. To report: vestibule-agent run`);
}

/** @typedef {{ id: string, at: string, kind: string, text: string }} Fact */

/** @returns {Fact[]} What has not been sent yet; a last line that kill -9 cut is no record. */
function readSpool() {
  if (!existsSync(spoolFile)) return [];
  return readFileSync(spoolFile, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return line === '' ? [] : [JSON.parse(line)];
      } catch {
        return [];
      }
    });
}

const writeSpool = (/** @type {Fact[]} */ facts) =>
  writeWhole(spoolFile, facts.map((fact) => `${JSON.stringify(fact)}\n`).join(''));

/** On disk before anything is sent, with the id by which the service knows it again. */
function record(/** @type {string} */ kind, /** @type {string} */ text) {
  const fact = { id: randomUUID(), at: new Date().toISOString(), kind, text };
  appendFileSync(spoolFile, `${JSON.stringify(fact)}\n`, { mode: 0o600, flush: true });
}

/** @returns {Fact[]} As many of the oldest as one request takes. */
function nextBatch(/** @type {Fact[]} */ spool) {
  let bytes = 0;
  return spool.slice(0, batchRecords).filter((fact, at) => {
    bytes += Buffer.byteLength(JSON.stringify(fact));
    return at === 0 || bytes < batchBytes;
  });
}

/** Sends a batch, and forgets it once it is there. */
async function sendBatch(/** @type {{ server: string, token: string }} */ { server, token }) {
  const spool = readSpool();
  if (spool.length === 0) return ask(server, 'POST /computers/heartbeat', { body: { platform, version }, token });
  const batch = nextBatch(spool);
  const answer = await ask(server, 'POST /computers/records', { body: { records: batch }, token });
  // Refused for good: sent again it would stand in the way of all that come after it.
  const isDone = answer.status === 202 || answer.status === 413 || answer.status === 422;
  if (isDone) {
    const sent = new Set(batch.map(({ id }) => id));
    writeSpool(readSpool().filter(({ id }) => !sent.has(id)));
  } else if (spool.length > mostSpooled) writeSpool(spool.slice(-mostSpooled));
  return answer;
}

/** What is looked at each time; a change is a record, of the kind that belongs to what is seen. */
const looks = [
  {
    what: 'network',
    look: () => {
      const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
      return all.some(({ internal }) => !internal) ? 'network_back' : 'network_lost';
    },
    usual: 'network_back',
    words: { network_back: 'The network is back.', network_lost: 'The network was lost.' },
  },
  {
    what: 'disk',
    look: () => {
      const { bavail, blocks } = statfsSync(homedir());
      return bavail / blocks < lowDisk ? 'disk_low' : 'disk_enough';
    },
    usual: 'disk_enough',
    words: {
      disk_low: 'There is little space left on the disk.',
      disk_enough: 'There is enough space on the disk again.',
    },
  },
  {
    what: 'battery',
    look: () => {
      const file = '/sys/class/power_supply/BAT0/capacity';
      return existsSync(file) && Number(readFileSync(file, 'utf8')) <= 15 ? 'battery_low' : 'battery_enough';
    },
    usual: 'battery_enough',
    words: { battery_low: 'The battery is low.', battery_enough: 'The battery is charged again.' },
  },
];

/** What each look saw last, also before a restart: else nobody would hear that what was wrong is over. */
function lookAround() {
  const seen = new Map(Object.entries(existsSync(seenFile) ? JSON.parse(readFileSync(seenFile, 'utf8')) : {}));
  for (const { what, look, usual, words } of looks) {
    try {
      const kind = look();
      const before = seen.get(what) ?? usual;
      if (kind === before) continue;
      record(kind, words[/** @type {keyof typeof words} */ (kind)] ?? kind);
      seen.set(what, kind);
      writeWhole(seenFile, JSON.stringify(Object.fromEntries(seen)));
    } catch {
      // What this system does not tell is not reported.
    }
  }
}

/** Back-off that doubles, up to ten minutes, of random length: a thousand agents must not come back at once. */
const pauseAfter = (/** @type {number} */ failures) =>
  Math.min(longestPause, beatEvery * 2 ** Math.min(failures, 10)) * (0.5 + Math.random() / 2);

async function run() {
  const settings = readSettings();
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => stop.abort());
  record('start', 'The agent was started.');
  say(`Reporting to ${settings.server}.`);
  let failures = 0;
  while (!stop.signal.aborted) {
    lookAround();
    const { status, retryAfter } = await sendBatch(settings);
    if (status === 401)
      throw new Trouble('This computer was removed from the account. It can be added again by a new code.');
    failures = status >= 200 && status < 300 ? 0 : failures + 1;
    const hasMore = failures === 0 && readSpool().length > 0;
    const wait = failures === 0 ? beatEvery : Math.max(retryAfter, pauseAfter(failures));
    if (!hasMore) await pause(wait, undefined, { signal: stop.signal }).catch(() => undefined);
  }
  record('stop', 'The agent was stopped.');
  await sendBatch(settings);
}

async function status() {
  const { server, computer, token } = readSettings();
  const answer = await ask(server, 'POST /computers/heartbeat', { body: { platform, version }, token });
  say(`Server: ${server}\nComputer: ${computer}\nNot sent yet: ${readSpool().length}`);
  if (answer.status === 0) throw new Trouble('The server does not answer.');
  if (answer.status === 401) throw new Trouble('This computer was removed from the account.');
  if (answer.status !== 204) throw new Trouble(`The server refused: ${answer.code ?? answer.status}`);
  say('The server answers.');
}

async function remove() {
  const { server, token } = readSettings();
  const answer = await ask(server, 'DELETE /computers/me', { token });
  // Whoever removed it on the page has done it already.
  if (answer.status !== 204 && answer.status !== 401)
    throw new Trouble(
      `The computer is still in the account: ${answer.status === 0 ? 'the server does not answer' : (answer.code ?? answer.status)}.`,
    );
  for (const file of [settingsFile, spoolFile, seenFile]) rmSync(file, { force: true });
  say('This computer is no longer in the account.');
}

const say = (/** @type {string} */ text) => process.stdout.write(`${text}\n`);

const commands = { enrol: () => enrol(positionals[1]), run, status, remove };

try {
  const command = commands[/** @type {keyof typeof commands} */ (positionals[0])];
  if (values.help) say(usage);
  else if (command) await command();
  else throw new Trouble(usage);
} catch (error) {
  process.stderr.write(`${error instanceof Trouble ? error.message : inspect(error)}\n`);
  process.exitCode = 1;
}
