const known: Readonly<Record<string, string>> = {
  linux: 'Linux',
  macos: 'macOS',
  windows: 'Windows',
  android: 'Android',
  ios: 'iOS',
};

/** A platform as its makers write it; any other as the device says it. */
export const platformName = (platform: string): string => known[platform.toLowerCase()] ?? platform;
