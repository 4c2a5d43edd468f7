import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { seconds } from '../../src/contract/durations.ts';
import { freePort } from '../../src/testing/free-port.ts';
import { endsWithUs } from './children.ts';
import type { Stage } from './stage.ts';

export interface Pooler {
  readonly url: string;
  /** Such as `1.24`. */
  readonly version: string;
  /** From 1.21 on it knows prepared statements in transaction mode, which the service needs. */
  readonly knowsPreparedStatements: boolean;
}

/** PgBouncer in transaction mode, with few connections that all clients share. Throws where it is not installed. */
export async function startPooler(stage: Stage, databaseUrl: string): Promise<Pooler> {
  const version = installedVersion();
  const knowsPreparedStatements = Number(version.split('.')[0]) > 1 || Number(version.split('.')[1]) >= 21;
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'vestibule-pooler-'));
  // As root it becomes another user, who reads this as well.
  chmodSync(folder, 0o755);
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(file, settingsFor({ databaseUrl, port, knowsPreparedStatements }));
  const isRoot = process.getuid?.() === 0;
  const child = endsWithUs(spawn('pgbouncer', [...(isRoot ? ['-u', 'nobody'] : []), file], { stdio: 'ignore' }));
  stage.atEnd(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  await untilListening(port);
  const url = Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: String(port) }).href;
  return { url, version, knowsPreparedStatements };
}

function installedVersion(): string {
  try {
    return /\d+\.\d+/.exec(execFileSync('pgbouncer', ['--version'], { encoding: 'utf8' }))?.[0] ?? '0.0';
  } catch (cause) {
    throw new Error('PgBouncer is not installed here: apt-get install pgbouncer', { cause });
  }
}

interface Settings {
  readonly databaseUrl: string;
  readonly port: number;
  readonly knowsPreparedStatements: boolean;
}

function settingsFor({ databaseUrl, port, knowsPreparedStatements }: Settings): string {
  const { hostname, port: serverPort, username, password } = new URL(databaseUrl);
  const server = `host=${hostname} port=${serverPort} user=${decodeURIComponent(username)} password=${decodeURIComponent(password)}`;
  return [
    '[databases]',
    `* = ${server}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'default_pool_size = 4',
    ...(knowsPreparedStatements ? ['max_prepared_statements = 200'] : []),
    '',
  ].join('\n');
}

async function untilListening(port: number): Promise<void> {
  const deadline = performance.now() + seconds(30);
  while (performance.now() < deadline) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (isOpen) return;
    await pause(50);
  }
  throw new Error('PgBouncer does not listen');
}
