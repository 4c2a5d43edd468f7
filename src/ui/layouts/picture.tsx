import css from './picture.module.css';

/** A lit doorway with a laptop and a phone in it. Decoration; symmetrical enough to need no mirroring. */
export const Picture = () => (
  <svg className={css.picture} viewBox="0 0 440 440" aria-hidden="true" focusable="false">
    <g className={css.wall}>
      <path d="M30 360V210a190 190 0 0 1 380 0v150z" />
      <path d="M75 360V210a145 145 0 0 1 290 0v150z" />
      <path d="M120 360V210a100 100 0 0 1 200 0v150z" />
    </g>
    <path className={css.light} d="M120 360V210a100 100 0 0 1 200 0v150l64 80H56z" />
    <path className={css.floor} d="M-600 360h720m200 0h720" />
    <g className={css.device}>
      <path d="M131 374V278a10 10 0 0 1 10-10h132a10 10 0 0 1 10 10v96z" />
      <path d="M110 374h194v3a9 9 0 0 1-9 9H119a9 9 0 0 1-9-9z" />
      <rect className={css.light} x="277" y="289" width="62" height="106" rx="13.5" />
      <rect x="281" y="293" width="54" height="98" rx="10" />
    </g>
    <g className={css.line}>
      <path d="M149 330h26l11-22 15 40 13-28 8 10h43" />
      <path d="M298 330l7 7 13-15" />
    </g>
    <g className={css.quiet}>
      <rect x="149" y="285" width="38" height="6" rx="3" />
      <rect x="193" y="285" width="18" height="6" rx="3" />
      <rect x="295" y="353" width="26" height="5" rx="2.5" />
      <rect x="295" y="363" width="16" height="5" rx="2.5" />
    </g>
    <circle className={css.alive} cx="264" cy="288" r="5" />
  </svg>
);
