import { endsOfWarnings, type Warning, warnings } from '../../../contract/record-kinds.ts';

/** A computer's warnings as they are kept: their kinds, with spaces between. */
export const readWarnings = (kept: string): Warning[] => {
  const kinds = kept.split(' ');
  return warnings.filter((warning) => kinds.includes(warning));
};

/** What holds after further records, the oldest of them first. */
export function warningsAfter(kept: string, kinds: readonly string[]): string {
  const held = new Set(readWarnings(kept));
  for (const kind of kinds)
    for (const warning of warnings) {
      if (kind === warning) held.add(warning);
      if (kind === endsOfWarnings[warning]) held.delete(warning);
    }
  return [...held].join(' ');
}
