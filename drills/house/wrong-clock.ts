import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Start } from './service.ts';
import type { Stage } from './stage.ts';

/** A machine's clock that can be put while a service runs on it. */
export interface WrongClock {
  /** What the service is started with. */
  readonly start: Required<Pick<Start, 'nodeOptions' | 'settings'>>;
  /** Milliseconds by which it is wrong from now on. Resolves when the service sees it. */
  put(by: number): Promise<void>;
}

const seenAfter = 500;

export function openWrongClock(stage: Stage, by = 0): WrongClock {
  const folder = mkdtempSync(join(tmpdir(), 'vestibule-clock-'));
  stage.atEnd(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'shift');
  const write = (shift: number) => {
    writeFileSync(`${file}.new`, String(shift));
    renameSync(`${file}.new`, file);
  };
  write(by);
  return {
    start: {
      nodeOptions: ['--import', join(import.meta.dirname, 'shifted-clock.ts')],
      settings: { DRILL_CLOCK_FILE: file },
    },
    put(shift) {
      write(shift);
      return pause(seenAfter);
    },
  };
}
