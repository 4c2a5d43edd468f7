const known: readonly [RegExp, string][] = [
  [/^(?:mac|darwin|os ?x)/i, 'macOS'],
  [/^win/i, 'Windows'],
  [/android/i, 'Android'],
  [/^(?:ios|ipad|iphone)/i, 'iOS'],
  [/linux|debian|ubuntu|fedora/i, 'Linux'],
];

/** What a letter may call a platform: whatever else a program says, a stranger may have written. */
export const platformName = (platform: string): string => known.find(([pattern]) => pattern.test(platform))?.[1] ?? '–';
