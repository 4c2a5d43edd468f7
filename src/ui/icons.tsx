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

export const Overview = icon(
  <>
    <rect x="2.5" y="2.5" width="6" height="8" rx="1.5" />
    <rect x="11.5" y="2.5" width="6" height="4.5" rx="1.5" />
    <rect x="2.5" y="13.5" width="6" height="4" rx="1.5" />
    <rect x="11.5" y="10" width="6" height="7.5" rx="1.5" />
  </>,
);

export const Plus = icon(
  <>
    <circle cx="10" cy="10" r="7.7" />
    <path d="M10 6.5v7M6.5 10h7" />
  </>,
);

export const Person = icon(
  <>
    <circle cx="10" cy="6.5" r="3.7" />
    <path d="M2.8 17.2c.9-3.4 3.7-5 7.2-5s6.3 1.6 7.2 5" />
  </>,
);

/** Points to the end of the line: turn it in languages that run from right to left. */
export const Leave = icon(
  <path d="M8 2.8H4.3c-.8 0-1.5.7-1.5 1.5v11.4c0 .8.7 1.5 1.5 1.5H8M8 10h9.2M13.4 6.2L17.2 10l-3.8 3.8" />,
);

export const Bars = icon(<path d="M3 5.5h14M3 10h14M3 14.5h14" />);
