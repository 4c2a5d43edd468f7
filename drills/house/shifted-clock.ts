// Loaded before the service (`node --import`): its machine's clock is then wrong by the milliseconds in a file, which may
// change while it runs. What measures durations is left alone.
import { readFileSync } from 'node:fs';

const file = process.env.DRILL_CLOCK_FILE ?? '';
const readAgainEvery = 100;
const read = () => Number(readFileSync(file, 'utf8'));
const RealDate = Date;
let shift = read();

class ShiftedDate extends RealDate {
  constructor(...given: readonly unknown[]) {
    if (given.length === 0) super(ShiftedDate.now());
    else super(...(given as [number]));
  }

  static override now(): number {
    return RealDate.now() + shift;
  }
}

globalThis.Date = ShiftedDate as DateConstructor;
setInterval(() => {
  shift = read();
}, readAgainEvery).unref();
