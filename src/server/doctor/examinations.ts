import { setTimeout as pause } from 'node:timers/promises';
import { minutes, seconds } from '../../contract/units.ts';
import type { Config } from '../settings/config.ts';
import { examine } from './examine.ts';
import type { Examined, Finding } from './finding.ts';

const repeatedAfter = minutes(5);
/** Mail servers and providers may take longer to answer than an operator waits. */
const longestWait = seconds(3);

/** Returns what the doctor finds on this node: at once what is known, examined again if that is older than five minutes. */
export function openExaminations(config: Config, now: () => number): () => Promise<Examined> {
  let last: Examined = { at: undefined, findings: [] };
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    const at = now();
    const mail = { mailTo: undefined, selector: undefined };
    const findings = await examine(config, { mail, now: at, depth: 'quick' }).catch((error: Error): Finding[] => [
      { part: 'examination', state: 'failed', says: error.message },
    ]);
    last = { at, findings };
    running = undefined;
  }

  return async () => {
    if (last.at === undefined || last.at <= now() - repeatedAfter) running ??= run();
    if (last.at === undefined) await Promise.race([running, pause(longestWait, undefined, { ref: false })]);
    return last;
  };
}
