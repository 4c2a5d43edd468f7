/** Settings that cannot be used: one line each, which names the setting and says what it must be. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  constructor(problems: string | readonly string[], options?: ErrorOptions) {
    super([...new Set([problems].flat())].join('\n'), options);
  }
}

/** What is wrong with settings by their readers, all at once: the lines of every `SettingsError` that is thrown. */
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
