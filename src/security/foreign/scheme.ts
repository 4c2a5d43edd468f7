type Parts = Readonly<Record<string, string | undefined>>;

/** A format in which other services store password hashes. */
export interface Scheme {
  /** Pattern of its hashes, with named groups. */
  readonly form: RegExp;
  /** Whether verification with these parameters costs no more time and memory than we allow. */
  isBearable(parts: Parts): boolean;
  verify(parts: Parts, tried: { readonly hash: string; readonly password: string }): Promise<boolean>;
}

/** Decodes base64 as found in hashes: either alphabet, or a dot instead of the plus sign. */
export const bytesOf = (text = ''): Buffer => Buffer.from(text.replaceAll('.', '+'), 'base64');
