const known: readonly [RegExp, string][] = [
  [/^(?:mac|darwin|os ?x)/i, 'macOS'],
  [/^win/i, 'Windows'],
  [/android/i, 'Android'],
  [/^(?:ios|ipad|iphone)/i, 'iOS'],
  [/linux|debian|ubuntu|fedora/i, 'Linux'],
];

/** A platform's name for emails. Other text is dropped: a stranger may have written it. */
export const platformName = (platform: string): string => known.find(([pattern]) => pattern.test(platform))?.[1] ?? '–';
