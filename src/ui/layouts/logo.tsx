/** The mark: a lit doorway. Decoration, since the product's name stands beside it. */
export const Logo = () => (
  <svg viewBox="0 0 32 32" width="32" height="32" aria-hidden="true" focusable="false">
    <rect width="32" height="32" rx="9" fill="var(--accent)" />
    <path d="M9 25V15a7 7 0 0 1 14 0v10" stroke="var(--on-accent)" strokeWidth="2.5" strokeLinecap="round" />
    <path d="M13.5 26.2V16a2.5 2.5 0 0 1 5 0v10.2z" fill="var(--on-accent)" />
  </svg>
);
