/** The logo, a lit doorway. Decorative, since the product's name is beside it. */
export const Logo = () => (
  <svg viewBox="0 0 32 32" width="2rem" height="2rem" aria-hidden="true">
    <rect width="32" height="32" rx="9" fill="var(--fill)" />
    <path d="M8.5 25V15.5a7.5 7.5 0 0 1 15 0V25" stroke="var(--on-fill)" strokeWidth="2.25" strokeLinecap="round" />
    <path d="M12.5 26V15.5a3.5 3.5 0 0 1 7 0V26z" fill="var(--light)" />
  </svg>
);
