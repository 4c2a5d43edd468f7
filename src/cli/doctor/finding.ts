/** The doctor's finding about one part. */
export interface Finding {
  readonly part: string;
  readonly state: 'ok' | 'warning' | 'failed';
  readonly says: string;
}

export type CheckResult = string | { readonly warning: string };

/** Checks a part; an error that the check throws becomes a failed finding. */
export async function runCheck(part: string, work: () => Promise<CheckResult> | CheckResult): Promise<Finding> {
  try {
    const said = await work();
    return typeof said === 'string'
      ? { part, state: 'ok', says: said }
      : { part, state: 'warning', says: said.warning };
  } catch (error) {
    return { part, state: 'failed', says: (error as Error).message.split('\n', 1)[0] ?? '' };
  }
}
