/** An error for the person at the terminal, printed without a stack. */
export class UserError extends Error {}

export const say = (/** @type {string} */ text) => process.stdout.write(`${text}\n`);
