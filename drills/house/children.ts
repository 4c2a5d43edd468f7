import type { ChildProcess } from 'node:child_process';

const children = new Set<ChildProcess>();

// Also when somebody breaks a drill off: nothing that it has started is left behind.
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/** A process that lives no longer than this one. */
export function endsWithUs<T extends ChildProcess>(child: T): T {
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}
