/** The parts of a report that may be logged. */
interface Violation {
  readonly directive: string;
  readonly blocked: string;
  readonly page: string;
}

/**
 * Reads a report of a broken Content-Security-Policy (CSP Level 3, section 5.3; the older and the newer form). Addresses are cut
 * to their path: the page that reports may be a reset link's, with its secret still in the query.
 */
export function readViolation(body: string): Violation {
  const report = findReport(body);
  const text = (...names: string[]) =>
    String(names.map((name) => report[name]).find((value) => value !== undefined) ?? '');
  return {
    directive: /^[a-z-]{1,40}/.exec(text('effective-directive', 'effectiveDirective', 'violated-directive'))?.[0] ?? '',
    blocked: withoutQuery(text('blocked-uri', 'blockedURL')),
    page: withoutQuery(text('document-uri', 'documentURL')),
  };
}

function findReport(body: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(body);
    const first = (Array.isArray(parsed) ? parsed[0] : parsed) as Record<string, unknown> | null;
    return (first?.['csp-report'] ?? first?.body ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}

const withoutQuery = (address: string): string => address.split(/[?#]/, 1)[0]?.slice(0, 200) ?? '';
