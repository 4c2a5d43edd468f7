import type { ReactNode } from 'react';
import css from './picture.module.css';

/** A lit doorway. Decorative, and not mirrored for right-to-left languages. */
export const Doorway = ({ children }: { children?: ReactNode }) => (
  <svg className={css.picture} viewBox="0 0 416 416" aria-hidden="true">
    <radialGradient id="shine" cy="1" r="1.05">
      <stop className={css.near} />
      <stop offset=".55" className={css.mid} />
      <stop offset="1" className={css.far} />
    </radialGradient>
    <linearGradient id="spill" x2="0" y2="1">
      <stop className={css.mid} />
      <stop offset="1" className={css.gone} />
    </linearGradient>
    <path
      className={css.lines}
      d="M20 336V208a188 188 0 0 1 376 0v128M44 336V208a164 164 0 0 1 328 0v128M-700 336H88m240 0h788"
    />
    <path className={css.wall} d="M68 336V208a140 140 0 0 1 280 0v128z" />
    <path fill="url(#shine)" d="M88 336V208a120 120 0 0 1 240 0v128z" />
    <path fill="url(#spill)" d="M88 336h240l64 80H24z" />
    {children}
  </svg>
);

/** Three devices of a dashboard, each with a line or two and a status light. */
export const Devices = () => (
  <>
    <g className={css.body}>
      <path d="M184 290h20v32h16a4 4 0 0 1 4 4v2h-60v-2a4 4 0 0 1 4-4h16z" />
      <rect x="116" y="190" width="156" height="104" rx="9" />
      <rect className={css.screen} x="121" y="195" width="146" height="94" rx="5" />
      <path className={css.words} d="M150 212h52M135 232h96M135 246h70" />
      <path className={css.alive} d="M138 212z" />
    </g>
    <g className={css.body}>
      <path d="M206 264a8 8 0 0 1 8-8h88a8 8 0 0 1 8 8v72H206z" />
      <path d="M192 334h132v3a8 8 0 0 1-8 8H200a8 8 0 0 1-8-8z" />
      <rect className={css.screen} x="211" y="261" width="94" height="68" rx="4" />
      <path className={css.words} d="M240 277h36M225 295h66M225 308h42" />
      <path className={css.alive} d="M228 277z" />
    </g>
    <g className={css.body}>
      <rect x="92" y="266" width="52" height="92" rx="10" />
      <rect className={css.screen} x="97" y="271" width="42" height="82" rx="6" />
      <path className={css.words} d="M107 307h22M107 319h13" />
      <path className={css.alive} d="M118 289z" />
    </g>
  </>
);

/** A phone that shows a shield and six digits. */
export const PhoneWithCode = () => (
  <g className={css.body}>
    <rect x="152" y="170" width="112" height="188" rx="18" />
    <rect className={css.screen} x="159" y="177" width="98" height="174" rx="12" />
    <path className={css.shield} d="M208 203l27 10v21c0 17-11 28-27 34-16-6-27-17-27-34v-21z" />
    <path className={css.tick} d="M196 235l9 9 16-18" />
    <path className={css.words} d="M178 304zM190 304zM202 304zM214 304zM226 304zM238 304zM190 326h36" />
  </g>
);
