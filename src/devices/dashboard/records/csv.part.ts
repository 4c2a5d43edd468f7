/** A record with the name of its device. */
export interface NamedRecord {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly device: string;
  readonly kind: string;
  readonly text: string;
  readonly tags: readonly string[];
  readonly device_id: string;
  readonly id: string;
}

const columns = ['at', 'device', 'kind', 'text', 'device_id', 'id', 'tags'] as const satisfies (keyof NamedRecord)[];

/** The first line of a CSV file. With the byte order mark, spreadsheets read UTF-8. */
export const csvHead = `\uFEFF${columns.join(',')}\r\n`;

/**
 * A field of a CSV file (RFC 4180). Spreadsheets run a field as a formula if it begins like one; the apostrophe, which
 * they hide, prevents that (OWASP CSV Injection).
 */
const fieldOf = (text: string): string => `"${text.replace(/^(?=\s*[=+\-@]|[\t\r\n])/, "'").replaceAll('"', '""')}"`;

/** A line of a CSV file. */
export const csvOf = (record: NamedRecord): string =>
  `${columns.map((column) => fieldOf(inOneField(record[column]))).join(',')}\r\n`;

const inOneField = (value: string | readonly string[]): string =>
  typeof value === 'string' ? value : value.join(', ');
