/** Unusable settings: each line names a setting and says what it must be. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  constructor(problems: string | readonly string[], options?: ErrorOptions) {
    super([...new Set([problems].flat())].join('\n'), options);
  }
}

/** Runs all readers, and returns the lines of every `SettingsError` that they throw. */
export function settingProblems(...readers: readonly (() => unknown)[]): string[] {
  return readers.flatMap((read) => {
    try {
      read();
      return [];
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      return error.message.split('\n');
    }
  });
}
