const known: Readonly<Record<string, string>> = {
  linux: 'Linux',
  macos: 'macOS',
  windows: 'Windows',
  android: 'Android',
  ios: 'iOS',
};

/** The vendor's spelling of a platform; unknown ones as the device reports them. */
export const platformName = (platform: string): string => known[platform.toLowerCase()] ?? platform;
