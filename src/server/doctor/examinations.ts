import { setTimeout as pause } from 'node:timers/promises';
import { minutes, seconds } from '../../contract/units.ts';
import type { Config } from '../settings/config.ts';
import { examine } from './examine.ts';
import { type Examinations, type Examined, type Finding, foundIn, Problem } from './finding.ts';

const repeatedAfter = minutes(5);
/** However many operators ask for another examination, mail servers and providers get one at a time. */
const againAfter = seconds(10);
/** Mail servers and providers may take longer to answer than an operator waits. */
const longestWait = seconds(3);

/** Examines this node when asked, one examination at a time: at once returns what is known, unless nothing is. */
export function openExaminations(config: Config, now: () => number): Examinations {
  let last: Omit<Examined, 'isRunning'> = { at: undefined, findings: [] };
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    const at = now();
    const mail = { mailTo: undefined, selector: undefined };
    const findings = await examine(config, { mail, now: at, depth: 'quick' }).catch(({ message }: Error): Finding[] => [
      foundIn('examination', 'failed', new Problem('examination', { words: message }, message)),
    ]);
    last = { at, findings };
    running = undefined;
  }

  return async ({ again }) => {
    // A clock that was set back makes the last one as outdated as one that goes on.
    const age = last.at === undefined ? Number.POSITIVE_INFINITY : Math.abs(now() - last.at);
    if (age >= (again ? againAfter : repeatedAfter)) running ??= run();
    if (again || last.at === undefined) await Promise.race([running, pause(longestWait, undefined, { ref: false })]);
    return { ...last, isRunning: running !== undefined };
  };
}
