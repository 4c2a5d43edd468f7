import { endsOfWarnings, type Warning, warnings } from '../../../contract/computers/record-kinds.ts';

/** Parses stored warnings: their kinds, separated by spaces. */
export const readWarnings = (kept: string): Warning[] => {
  const kinds = kept.split(' ');
  return warnings.filter((warning) => kinds.includes(warning));
};

/** Updates stored warnings by the kinds of new records, oldest first. */
export function warningsAfter(kept: string, kinds: readonly string[]): string {
  const held = new Set(readWarnings(kept));
  for (const kind of kinds)
    for (const warning of warnings) {
      if (kind === warning) held.add(warning);
      if (kind === endsOfWarnings[warning]) held.delete(warning);
    }
  return [...held].join(' ');
}
