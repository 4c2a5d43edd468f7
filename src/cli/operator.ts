import { hostname, userInfo } from 'node:os';
import { textLimit } from '../contract/field-sizes.ts';
import type { Operation, Operator } from '../operations/operation.ts';
import type { Store } from '../store/database.ts';
import { type Environment, UsageError } from './command.ts';

/** An option of every command that changes something or exports someone's data. */
export const reasonOption = { reason: { type: 'string' } } as const;

interface OperatorCommandInput {
  readonly store: Store;
  readonly now: number;
  readonly environment: Environment;
  readonly options: Readonly<Record<string, unknown>>;
}

/** The arguments of an operator decision, with the operator at this terminal and the reason from the command line. */
export const operationOf = ({ store, now, environment, options }: OperatorCommandInput): Operation => ({
  store,
  now,
  operator: operatorAt(environment, checkReason({ options })),
});

/** The reason from the command line; throws a `UsageError` if it is empty or too long. */
export function checkReason({ options }: Pick<OperatorCommandInput, 'options'>): string | undefined {
  const reason = options.reason === undefined ? undefined : String(options.reason).trim();
  if (reason === '' || (reason?.length ?? 0) >= textLimit)
    throw new UsageError(`--reason TEXT: 1 to ${textLimit - 1} characters`);
  return reason;
}

/** `sudo` records its caller, and `sshd` the address of its client, in the environment. */
function operatorAt(environment: Environment, reason: string | undefined): Operator {
  const [client] = (environment.SSH_CONNECTION ?? environment.SSH_CLIENT ?? '').split(' ');
  return {
    actor: environment.SUDO_USER || userName(),
    origin: client ? `${hostname()} from ${client}` : hostname(),
    reason,
  };
}

/** A user in a container may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
