import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { minutes } from '../../src/contract/units.ts';
import { endsWithUs } from '../fixtures/children.ts';
import { findInstalled } from '../fixtures/installed.ts';
import type { Stage } from '../fixtures/stage.ts';

/** Paths of programs that the scenes of `apps` need, in the same order. Throws `NotInstalled`. */
export const requireInstalled = (...wanted: readonly string[]): string[] =>
  findInstalled(wanted, 'oidc-agent-cli nginx caddy');

/** A folder that servers also read after they have given up the rights of root; removed with the scene. */
export function openFolder(stage: Stage): string {
  const folder = mkdtempSync(join(tmpdir(), 'vestibule-apps-'));
  chmodSync(folder, 0o755);
  stage.atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface Program {
  readonly file: string;
  readonly args: readonly string[];
  /** The port or the socket that it opens. */
  readonly listensOn: number | string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a server of a third party, and waits until it listens. It ends with the scene. */
export async function startProgram(stage: Stage, { file, args, listensOn, env }: Program): Promise<void> {
  const { PATH } = process.env;
  const child = endsWithUs(spawn(file, args, { env: { PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] }));
  const ended = once(child, 'exit');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text: Buffer) => {
      output += text;
    });
  }
  stage.atEnd(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  const deadline = performance.now() + minutes(1);
  while (!(await listens(listensOn))) {
    if (child.exitCode !== null || performance.now() > deadline) throw new Error(`${file} does not start: ${output}`);
    await pause(50);
  }
}

const listens = (place: number | string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = typeof place === 'number' ? connect(place, '127.0.0.1') : connect(place);
    socket
      .once('error', () => resolve(false))
      .once('connect', () => {
        socket.destroy();
        resolve(true);
      });
  });
