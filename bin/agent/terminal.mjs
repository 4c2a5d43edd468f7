/** An error for the person at the terminal, printed without a stack. */
export class UserError extends Error {
  /**
   * @param {string} message
   * @param {ErrorOptions & { exitCode?: number }} [parts]
   */
  constructor(message, { exitCode = 1, ...origin } = {}) {
    super(message, origin);
    this.exitCode = exitCode;
  }
}

// Output to a full disk or a closed terminal must not end the agent.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

export const say = (/** @type {string} */ text) => void process.stdout.write(`${text}\n`);
export const warn = (/** @type {string} */ text) => void process.stderr.write(`${text}\n`);

/** The code of an error of the operating system, such as `ENOSPC`. */
export const systemError = (/** @type {unknown} */ error) =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error);
