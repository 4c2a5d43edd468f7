import PO from 'pofile';

/** One text of a catalog, as its PO file has it. */
export interface CatalogEntry {
  readonly id: string;
  /** ICU MessageFormat; empty if it is not translated. */
  readonly text: string;
  /** For the translator: where the text appears, and what a placeholder is. */
  readonly note: string;
  /** Marked as fuzzy or obsolete. */
  readonly unfinished: boolean;
}

/** The texts of one language, in the order of its file. */
export interface Catalog {
  /** From the header of the file. */
  readonly language: string;
  readonly entries: readonly CatalogEntry[];
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
