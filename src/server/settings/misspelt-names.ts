import { closest, distance } from 'fastest-levenshtein';

/** Typos allowed in a long name; a short name is similar to too many others. */
const slips = 2;
const slipsAreFrom = 8;
const oneSlipFrom = 5;
function slipsIn({ length }: string): number {
  if (length >= slipsAreFrom) return slips;
  return length >= oneSlipFrom ? 1 : 0;
}

/** Unites singular and plural: with `TRUSTED_PROXY`, every visitor would share the proxy's rate limits. */
const stem = (name: string): string => name.replaceAll(/(?:IES|Y|S)(?=_|$)/g, '');

/** Names that resemble a setting: otherwise a misspelled setting would silently be ignored. */
export const misspeltNames = (
  environment: Readonly<Record<string, string | undefined>>,
  settingNames: readonly string[],
): string[] =>
  Object.keys(environment)
    .filter((name) => slipsIn(name) > 0 && !settingNames.includes(name))
    .map((name) => ({
      name,
      meant: settingNames.find((one) => stem(one) === stem(name)) ?? closest(name, settingNames),
    }))
    .filter(({ name, meant }) => stem(name) === stem(meant) || distance(name, meant) <= slipsIn(name))
    .map(({ name, meant }) => `${name}: unknown setting; did you mean ${meant}?`);
