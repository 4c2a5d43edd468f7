// Loaded before the service (`node --import`): its machine's clock is then wrong by as much as it is told, in
// milliseconds, at its start by DRILL_CLOCK_SHIFT and later by a message. What measures durations is left alone.
const RealDate = Date;
let shift = Number(process.env.DRILL_CLOCK_SHIFT ?? 0);

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
process.on('message', (message: { readonly clockShift?: number }) => {
  shift = message.clockShift ?? shift;
});
// Whoever waits for a word must not keep the process from its end.
process.channel?.unref();
