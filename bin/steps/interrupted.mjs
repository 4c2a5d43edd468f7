/** The user interrupted a step (Ctrl+C), which needs no message. */
export class Interrupted extends Error {}
