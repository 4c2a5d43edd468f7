#!/usr/bin/env node
// The reference agent: adds this computer to an account, sends heartbeats, and reports harmless facts.
// biome-ignore-all lint/style/noExcessiveLinesPerFile: one file, since one command fetches it
// One file without dependencies, for Node 20 or newer. docs/agents.md explains how to write another agent.
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { homedir, hostname, networkInterfaces, userInfo } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { inspect, parseArgs } from 'node:util';

const version = '1.0.0';
const own = fileURLToPath(import.meta.url);
const usage = `Usage: node ${own} COMMAND
  install CODE --server URL [--name NAME]   add this computer to an account, and report in the background from now on
  uninstall                                 remove this computer from the account, and the background service
  enrol CODE --server URL [--name NAME]     add this computer to an account, without the service
  run                                       report until stopped
  status                                    show the server, and whether it responds
  remove                                    remove this computer from the account, and keep the service
  service                                   print the definition of the service (--system linux, macos or windows)
The folder --data DIR (or VESTIBULE_AGENT_DATA) contains its token and unsent records. For root, the service belongs to
the system; with --user, it belongs to the user.`;

const platform = { darwin: 'macos', win32: 'windows' }[/** @type {string} */ (process.platform)] ?? process.platform;
const second = 1000;
const beatEvery = Number(process.env.VESTIBULE_AGENT_BEAT_SECONDS ?? 60) * second;
const longestPause = 10 * 60 * second;
const answersWithin = 20 * second;
/** Limits for a request; the service accepts 100 records and 16 KiB. */
const batchRecords = 50;
const batchBytes = 12_000;
/** During a long outage of the service, the oldest records are dropped. */
const mostSpooled = 5000;
const lowDisk = 0.05;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    server: { type: 'string' },
    name: { type: 'string' },
    data: { type: 'string' },
    system: { type: 'string' },
    user: { type: 'boolean' },
    help: { type: 'boolean' },
  },
});
const folder = resolve(values.data ?? process.env.VESTIBULE_AGENT_DATA ?? join(homedir(), '.vestibule-agent'));
const settingsFile = join(folder, 'agent.json');
const spoolFile = join(folder, 'spool.jsonl');
const seenFile = join(folder, 'seen.json');
/** The service runs this copy, so that the downloaded file may be deleted. */
const installed = join(folder, 'vestibule-agent.mjs');
/** A command of this agent, as its user can type it. */
const command = (/** @type {string} */ words) => `node "${existsSync(installed) ? installed : own}" ${words}`;

/** An error for the person at the terminal, printed without a stack. */
class Trouble extends Error {}

/** Replaces a file atomically: even after kill -9, it is either the old one or the new one. */
function writeWhole(/** @type {string} */ file, /** @type {string} */ text) {
  writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
}

/** @returns {{ server: string, computer: string, token: string }} */
function readSettings() {
  if (!existsSync(settingsFile))
    throw new Trouble(`This computer is not added yet: ${command('install CODE --server URL')}`);
  return JSON.parse(readFileSync(settingsFile, 'utf8'));
}

/** `body` is unvalidated JSON. @typedef {{ status: number, code: string | undefined, body: any, retryAfter: number }} Answer */

/** @returns {Promise<Answer>} `status` 0: no response. */
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

/** Requires TLS for the token, except on this machine. */
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
    throw new Trouble(`This computer is already added. Remove it first: ${command('uninstall')}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const name = values.name ?? hostname().replace(/\.local$/, '');
  const {
    status,
    code: refusal,
    body,
  } = await ask(server, 'POST /computers/enrol', { body: { code, name, platform } });
  if (status === 0) throw new Trouble(`${server} does not answer.`);
  if (refusal === 'enrolment_invalid')
    throw new Trouble('This code is no longer valid. Request a new one on the page.');
  if (refusal === 'computer_limit_reached')
    throw new Trouble(`The account has reached its limit of ${body.limit} devices. Remove one, then try again.`);
  if (status !== 201) throw new Trouble(`${server} refused: ${refusal ?? status}`);
  writeWhole(settingsFile, JSON.stringify({ server, computer: body.computer, token: body.device_token }));
  say(`Added as “${name}”.`);
}

/** @typedef {{ id: string, at: string, kind: string, text: string }} Fact */

/** @returns {Fact[]} The unsent records, without a last line that kill -9 truncated. */
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

/** Writes a record to disk before it is sent, with an id by which the service detects duplicates. */
function record(/** @type {string} */ kind, /** @type {string} */ text) {
  const fact = { id: randomUUID(), at: new Date().toISOString(), kind, text };
  appendFileSync(spoolFile, `${JSON.stringify(fact)}\n`, { mode: 0o600, flush: true });
}

/** @returns {Fact[]} The oldest records that fit into one request. */
function nextBatch(/** @type {Fact[]} */ spool) {
  let bytes = 0;
  return spool.slice(0, batchRecords).filter((fact, at) => {
    bytes += Buffer.byteLength(JSON.stringify(fact));
    return at === 0 || bytes < batchBytes;
  });
}

/** When records may be sent again: beyond the limit of a day, the service accepts only heartbeats until the next. */
let recordsFrom = 0;

/** Sends a batch, and deletes it once the service has accepted it. Without one to send, it sends a heartbeat. */
async function sendBatch(/** @type {{ server: string, token: string }} */ { server, token }) {
  const spool = readSpool();
  const beat = () => ask(server, 'POST /computers/heartbeat', { body: { platform, version }, token });
  const isPaused = Date.now() < recordsFrom;
  if (isPaused && spool.length > mostSpooled) writeSpool(spool.slice(-mostSpooled));
  if (isPaused || spool.length === 0) return beat();
  const batch = nextBatch(spool);
  const answer = await ask(server, 'POST /computers/records', { body: { records: batch }, token });
  // 413 and 422 are permanent: retrying would block all later records.
  const isDone = answer.status === 202 || answer.status === 413 || answer.status === 422;
  if (isDone) {
    const sent = new Set(batch.map(({ id }) => id));
    writeSpool(readSpool().filter(({ id }) => !sent.has(id)));
  } else if (spool.length > mostSpooled) writeSpool(spool.slice(-mostSpooled));
  if (answer.status !== 429 || answer.retryAfter <= beatEvery) return answer;
  recordsFrom = Date.now() + answer.retryAfter;
  return beat();
}

/** The states to check each time. Each change becomes a record of the corresponding kind. */
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

/** Records changes of state. Keeps the last states on disk, so that a recovery is also reported after a restart. */
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
      // States that this system does not provide are skipped.
    }
  }
}

/** Exponential back-off with jitter, up to ten minutes, so that a thousand agents do not return at the same moment. */
const pauseAfter = (/** @type {number} */ failures) =>
  Math.min(longestPause, beatEvery * 2 ** Math.min(failures, 10)) * (0.5 + Math.random() / 2);

const deletionPlanned = 'The deletion of the account is planned.';

/** A 401 with Retry-After: the owner can still cancel the deletion of the account, and the token works again. */
const isOnHold = (/** @type {Answer} */ { status, retryAfter }) => status === 401 && retryAfter > 0;

/** Prints when the deletion of the account was planned, and when it was canceled. */
function openHoldReport() {
  let wasOnHold = false;
  return (/** @type {Answer} */ answer) => {
    // Without a response, nothing is known.
    if (answer.status === 0 || isOnHold(answer) === wasOnHold) return;
    wasOnHold = !wasOnHold;
    say(wasOnHold ? `${deletionPlanned} Reporting resumes if the owner cancels it.` : 'Reporting again.');
  };
}

const waitAfter = (/** @type {Answer} */ answer, /** @type {number} */ failures) => {
  if (failures === 0) return beatEvery;
  return isOnHold(answer) ? 10 * beatEvery : Math.max(answer.retryAfter, pauseAfter(failures));
};

async function run() {
  const settings = readSettings();
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => stop.abort());
  record('start', 'The agent was started.');
  say(`Reporting to ${settings.server}.`);
  const reportHold = openHoldReport();
  let failures = 0;
  while (!stop.signal.aborted) {
    lookAround();
    const answer = await sendBatch(settings);
    if (answer.status === 401 && !isOnHold(answer))
      throw new Trouble('This computer was removed from the account. To add it again, use a new code.');
    reportHold(answer);
    failures = answer.status >= 200 && answer.status < 300 ? 0 : failures + 1;
    const hasMore = failures === 0 && Date.now() >= recordsFrom && readSpool().length > 0;
    const wait = waitAfter(answer, failures);
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
  if (answer.status === 401)
    throw new Trouble(isOnHold(answer) ? deletionPlanned : 'This computer was removed from the account.');
  if (answer.status !== 204) throw new Trouble(`The server refused: ${answer.code ?? answer.status}`);
  say('The server answers.');
}

async function remove() {
  const { server, token } = readSettings();
  const answer = await ask(server, 'DELETE /computers/me', { token });
  if (isOnHold(answer)) throw new Trouble(`The computer is still in the account. ${deletionPlanned}`);
  // 401: the owner has already removed it on the page.
  if (answer.status !== 204 && answer.status !== 401)
    throw new Trouble(
      `The computer is still in the account: ${answer.status === 0 ? 'the server does not answer' : (answer.code ?? answer.status)}.`,
    );
  for (const file of [settingsFile, spoolFile, seenFile]) rmSync(file, { force: true });
  say('This computer is no longer in the account.');
}

const say = (/** @type {string} */ text) => process.stdout.write(`${text}\n`);

/** What a service manager runs. */
const program = () => [process.execPath, installed, 'run', '--data', folder];
const isRoot = () => process.getuid?.() === 0 && !values.user;
const xml = (/** @type {string} */ text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
/** systemd expands `%` and `$`, also within quotes (systemd.service(5), section “Command lines”). */
const unitWord = (/** @type {string} */ word) =>
  `"${word.replace(/["\\]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`;

/**
 * How a system starts programs in the background. `start` and `stop` are commands; one that begins with `-` may fail.
 * @typedef {{ file: string, text: string, start: string[][], stop: string[][] }} BackgroundService
 */

/** @returns {BackgroundService} A system unit for root, otherwise a user unit (systemd.unit(5)). */
function systemdUnit() {
  const system = isRoot();
  const scope = system ? [] : ['--user'];
  const config = process.env.XDG_CONFIG_HOME ?? join(homedir(), '.config');
  const hardened = `NoNewPrivileges=yes
PrivateTmp=yes
ProtectSystem=strict
ReadWritePaths=${unitWord(folder)}
`;
  return {
    file: join(system ? '/etc/systemd/system' : join(config, 'systemd', 'user'), 'vestibule-agent.service'),
    text: `[Unit]
Description=Vestibule agent

[Service]
ExecStart=${program().map(unitWord).join(' ')}
Restart=always
RestartSec=60
# Exit code 1: the computer was removed from the account, so a restart cannot help.
RestartPreventExitStatus=1
${system ? hardened : ''}
[Install]
WantedBy=${system ? 'multi-user' : 'default'}.target
`,
    start: [
      ['systemctl', ...scope, 'daemon-reload'],
      ['systemctl', ...scope, 'enable', 'vestibule-agent.service'],
      ['systemctl', ...scope, 'restart', 'vestibule-agent.service'],
      // Otherwise the user's services end when the user signs out.
      ...(system ? [] : [['-loginctl', 'enable-linger']]),
    ],
    stop: [['-systemctl', ...scope, 'disable', '--now', 'vestibule-agent.service']],
  };
}

/** @returns {BackgroundService} A daemon for root, otherwise a user's agent (launchd.plist(5)). */
function launchdAgent() {
  const folderOfAgents = isRoot() ? '/Library/LaunchDaemons' : join(homedir(), 'Library', 'LaunchAgents');
  const file = join(folderOfAgents, 'vestibule-agent.plist');
  const domain = isRoot() ? 'system' : `gui/${process.getuid?.() ?? ''}`;
  const bootout = ['-launchctl', 'bootout', `${domain}/vestibule-agent`];
  return {
    file,
    text: `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict>
  <key>Label</key><string>vestibule-agent</string>
  <key>ProgramArguments</key>
  <array>${program()
    .map((word) => `<string>${xml(word)}</string>`)
    .join('')}</array>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>Crashed</key><true/></dict>
</dict></plist>
`,
    start: [bootout, ['launchctl', 'bootstrap', domain, file]],
    stop: [bootout],
  };
}

/** @returns {BackgroundService} A task at sign-in, which needs no administrator; conhost hides the console window. */
function windowsTask() {
  const name = 'vestibule-agent';
  const file = join(folder, 'task.xml');
  const words = ['--headless', ...program().map((word) => `"${word}"`)].join(' ');
  const user = xml(`${process.env.USERDOMAIN ?? '.'}\\${userInfo().username}`);
  return {
    file,
    text: `<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <Triggers><LogonTrigger><UserId>${user}</UserId></LogonTrigger></Triggers>
  <Principals><Principal id="Author"><UserId>${user}</UserId><LogonType>InteractiveToken</LogonType><RunLevel>LeastPrivilege</RunLevel></Principal></Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <RestartOnFailure><Interval>PT1M</Interval><Count>3</Count></RestartOnFailure>
  </Settings>
  <Actions Context="Author"><Exec><Command>conhost.exe</Command><Arguments>${xml(words)}</Arguments></Exec></Actions>
</Task>
`,
    start: [
      ['schtasks', '/create', '/f', '/tn', name, '/xml', file],
      ['schtasks', '/run', '/tn', name],
    ],
    stop: [
      ['-schtasks', '/end', '/tn', name],
      ['-schtasks', '/delete', '/f', '/tn', name],
    ],
  };
}

/** @type {Record<string, () => BackgroundService>} */
const services = { linux: systemdUnit, macos: launchdAgent, windows: windowsTask };

const textOf = (/** @type {import('node:child_process').SpawnSyncReturns<string>} */ { stdout, stderr, error }) =>
  `${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}`.trim();

/** Whether this system starts services: a container has no service manager. */
function startsServices() {
  if (platform !== 'linux') return Object.hasOwn(services, platform);
  const scope = isRoot() ? [] : ['--user'];
  const state = textOf(spawnSync('systemctl', [...scope, 'is-system-running'], { encoding: 'utf8' }));
  return /^(?:initializing|starting|running|degraded|maintenance)$/.test(state);
}

function execute(/** @type {string[]} */ [name = '', ...words]) {
  const mayFail = name.startsWith('-');
  const result = spawnSync(mayFail ? name.slice(1) : name, words, { encoding: 'utf8' });
  if (result.status !== 0 && !mayFail) throw new Trouble(`${[name, ...words].join(' ')} failed: ${textOf(result)}`);
}

function serviceOf(/** @type {string} */ system) {
  const describe = services[system];
  if (!describe) throw new Trouble(`There is no service for ${system}: start “${command('run')}” yourself.`);
  return describe();
}

async function install(/** @type {string | undefined} */ code) {
  if (code || !existsSync(settingsFile)) await enrol(code);
  if (own !== installed) copyFileSync(own, installed);
  const undo = `To undo this, run: ${command('uninstall')}`;
  if (!startsServices()) {
    say(`This system starts no services, so the agent reports only as long as this command runs.\n${undo}`);
    return run();
  }
  const { file, text, start } = serviceOf(platform);
  mkdirSync(dirname(file), { recursive: true });
  // The Windows task scheduler reads only UTF-16.
  writeFileSync(file, platform === 'windows' ? `\uFEFF${text}` : text, platform === 'windows' ? 'utf16le' : 'utf8');
  for (const step of start) execute(step);
  say(`It reports in the background from now on, also after a restart.\n${undo}`);
}

async function uninstall() {
  if (existsSync(settingsFile)) await remove();
  const describe = services[platform];
  if (describe) {
    const { file, stop } = describe();
    if (existsSync(file)) for (const step of stop) execute(step);
    rmSync(file, { force: true });
  }
  rmSync(installed, { force: true });
  try {
    rmdirSync(folder);
  } catch {
    // Files of its user are in the folder, or it is already gone.
  }
  say('The agent is no longer installed.');
}

function printService() {
  const { file, text } = serviceOf(values.system ?? platform);
  say(`${file}\n\n${text}`);
}

const commands = {
  install: () => install(positionals[1]),
  uninstall,
  enrol: () => enrol(positionals[1]),
  run,
  status,
  remove,
  service: printService,
};

try {
  const chosen = commands[/** @type {keyof typeof commands} */ (positionals[0])];
  if (values.help) say(usage);
  else if (chosen) await chosen();
  else throw new Trouble(usage);
} catch (error) {
  process.stderr.write(`${error instanceof Trouble ? error.message : inspect(error)}\n`);
  process.exitCode = 1;
}
