import type { ReactNode } from 'react';

/** A decorative icon of 20 by 20 units in the color of the text beside it. */
export const icon = (drawing: ReactNode) => () => (
  <svg
    viewBox="0 0 20 20"
    width="1.25rem"
    height="1.25rem"
    stroke="currentColor"
    strokeWidth="1.6"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
  >
    {drawing}
  </svg>
);

export const Eye = icon(
  <>
    <path d="M1.8 10S4.7 4.2 10 4.2 18.2 10 18.2 10 15.3 15.8 10 15.8 1.8 10 1.8 10z" />
    <circle cx="10" cy="10" r="2.5" />
  </>,
);

export const EyeClosed = icon(
  <>
    <path d="M7.9 4.5a8 8 0 0 1 2.1-.3c5.3 0 8.2 5.8 8.2 5.8a14 14 0 0 1-2.2 3M5.4 5.7A13 13 0 0 0 1.8 10S4.7 15.8 10 15.8a8 8 0 0 0 4.6-1.5M8.3 8.2a2.5 2.5 0 0 0 3.5 3.5" />
    <path d="M2.5 2.5l15 15" />
  </>,
);

export const Globe = icon(
  <>
    <circle cx="10" cy="10" r="7.7" />
    <path d="M2.3 10h15.4M10 2.3c2 2.2 3 4.8 3 7.7s-1 5.5-3 7.7c-2-2.2-3-4.8-3-7.7s1-5.5 3-7.7z" />
  </>,
);

export const HalfMoon = icon(
  <>
    <circle cx="10" cy="10" r="7.7" />
    <path d="M10 2.3v15.4a7.7 7.7 0 0 0 0-15.4z" fill="currentColor" />
  </>,
);

export const Exclamation = icon(
  <>
    <circle cx="10" cy="10" r="7.7" />
    <path d="M10 6v4.6M10 13.8v.1" strokeWidth="2" />
  </>,
);

export const Information = icon(
  <>
    <circle cx="10" cy="10" r="7.7" />
    <path d="M10 9.4V14M10 6.2v.1" strokeWidth="2" />
  </>,
);

export const Tick = icon(
  <>
    <circle cx="10" cy="10" r="7.7" />
    <path d="M6.5 10.3l2.4 2.4 4.8-5.2" />
  </>,
);

export const Chevron = icon(<path d="M6 8l4 4 4-4" />);
