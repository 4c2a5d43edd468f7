import PO from 'pofile';

/** One text of a catalog, as its PO file has it. */
export interface Entry {
  readonly id: string;
  /** ICU MessageFormat; empty when nobody has translated it. */
  readonly text: string;
  /** What the translator is told: where the text appears, what a placeholder is. */
  readonly note: string;
  /** Marked as doubtful, or as no longer used. */
  readonly unfinished: boolean;
}

/** The texts of one language, in the order of its file. */
export interface Catalog {
  /** As the header of the file names it. */
  readonly language: string;
  readonly entries: readonly Entry[];
}

/** Reads the content of a PO file. */
export function readCatalog(content: string): Catalog {
  const file = PO.parse(content);
  return {
    language: file.headers.Language ?? '',
    entries: file.items.map((item) => ({
      id: item.msgid,
      text: item.msgstr.join(''),
      note: item.extractedComments.join(' ').trim(),
      unfinished: item.obsolete || item.flags.fuzzy === true,
    })),
  };
}
