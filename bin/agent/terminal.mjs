import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

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

/** The path of this program, once it is one file. */
export const program = fileURLToPath(import.meta.url);

/** Whether Node is in this file. */
export const isExecutable = program === process.execPath;

/** How another process runs a copy of this program. */
export const commandOf = (/** @type {string} */ file) => (isExecutable ? [file] : [process.execPath, file]);

/** How a terminal runs a copy of this program. */
export const typed = (/** @type {string} */ file) => (isExecutable ? `"${file}"` : `node "${file}"`);

export const usage = `Usage: ${typed(program)} COMMAND
  install CODE --server URL [--name NAME]   add this computer to an account, and report in the background from now on;
                                            CODE is a code, or a key for many computers
  uninstall                                 remove this computer from the account, and the background service
  enrol CODE --server URL [--name NAME]     add this computer to an account, without the service
  run                                       report until stopped
  status                                    show the server, and whether it responds
  remove                                    remove this computer from the account, and keep the service
  service                                   print the definition of the service (--system linux, macos or windows)
--keep  on a copy of another computer: install and enrol add it anew, uninstall and remove leave the other one alone
--yes   uninstall and remove do not ask, even if another computer reports as the same one
--ca FILE  the certificate of a private authority, in PEM format; install keeps it, and HTTPS_PROXY and NO_PROXY
The folder --data DIR (or VESTIBULE_AGENT_DATA) contains its token and unsent records. For root, the service belongs to
the system; with --user, it belongs to the user.`;

/**
 * Ends with a sentence and the usage if an option is unknown or lacks its value.
 * @template {import('node:util').ParseArgsConfig} Config
 * @param {Config} config
 */
function read(config) {
  try {
    return parseArgs(config);
  } catch (error) {
    warn(`${error instanceof Error ? error.message : error}\n${usage}`);
    return process.exit(1);
  }
}

export const {
  values: options,
  positionals: [subcommand = '', enrolmentCode],
} = read({
  allowPositionals: true,
  options: {
    server: { type: 'string' },
    name: { type: 'string' },
    data: { type: 'string' },
    system: { type: 'string' },
    user: { type: 'boolean' },
    keep: { type: 'boolean' },
    yes: { type: 'boolean' },
    ca: { type: 'string' },
    help: { type: 'boolean' },
  },
});
