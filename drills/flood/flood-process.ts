import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { endsWithUs } from '../fixtures/children.ts';
import type { Stage } from '../fixtures/stage.ts';
import type { Assault } from './attacker.ts';

/** Starts the attackers; they report the responses that they have got so far. */
export function beginFlood(stage: Stage, assault: Assault) {
  const program = join(import.meta.dirname, 'attacker.ts');
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const child = endsWithUs(spawn(process.execPath, [program, JSON.stringify(assault)], { stdio: [...stdio] }));
  const ended = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  stage.atEnd(stop);
  let last: [number, number][] = [];
  child.stdout.on('data', (text: Buffer) => {
    last = JSON.parse(text.toString().trim().split('\n').at(-1) ?? '[]');
  });
  return {
    stop,
    got: () => last.map(([status, count]) => `${status} ×${count}`).join(', '),
    answered: () => last.reduce((all, [, count]) => all + count, 0),
  };
}
