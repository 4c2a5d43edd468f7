interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string };
}

/** The address of a worker's script, which is ours: our Content-Security-Policy requires Trusted Types. */
export function trusted(url: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  return trustedTypes?.createPolicy('worker', { createScriptURL: () => url }).createScriptURL(url) ?? url;
}
