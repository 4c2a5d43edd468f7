type Parts = Readonly<Record<string, string | undefined>>;

/** A way in which other services keep passwords. */
export interface Scheme {
  /** How its hashes are written, with named parts. */
  readonly form: RegExp;
  /** Whether its parameters cost no more than somebody may have us spend. */
  isBearable(parts: Parts): boolean;
  verify(parts: Parts, tried: { readonly hash: string; readonly password: string }): Promise<boolean>;
}

/** Base64 as it is written in hashes: of either alphabet, or with a dot in place of the plus sign. */
export const bytesOf = (text = ''): Buffer => Buffer.from(text.replaceAll('.', '+'), 'base64');
