// During a flood, a browser without a device cookie solves a short task, and then goes before clients without one.

/** A browser offers to solve a task with `ready`, and then sends the task with its solution. */
export const proofOfWorkHeader = 'X-Proof-Of-Work';
export const readyForTask = 'ready';

/** A solution consists of several numbers, because the time for a single one would vary too much. */
export const solutionNumbers = 8;

/** Leading zero bits of the SHA-256 of `<task>:<number>`; each bit doubles the work. 13 take a browser 0.1 to 0.5 s. */
export const usualBits = 13;
export const maxBits = 15;
