import { icon } from '../../icons.tsx';

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

export const Cross = icon(<path d="M5 5l10 10M15 5L5 15" />);

export const Bars = icon(<path d="M3 5.5h14M3 10h14M3 14.5h14" />);

export const Screen = icon(
  <>
    <rect x="2.3" y="3.3" width="15.4" height="10.4" rx="1.8" />
    <path d="M10 13.7v3M6.5 16.7h7" />
  </>,
);

export const Lines = icon(<path d="M3 5h2M8 5h9M3 10h2M8 10h9M3 15h2M8 15h9" />);
