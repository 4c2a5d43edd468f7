import { type ReactNode, useMemo } from 'react';
import { useNow } from '../../browser/language/times.ts';
import { Link } from '../../browser/navigation/navigation.tsx';
import { usePage } from '../../browser/navigation/page.tsx';
import { localeOf } from '../../contract/languages.ts';
import type { MessageId } from '../../messages/ids.ts';
import css from './page-head.module.css';

interface PageHeadProps {
  /** The title. */
  children: ReactNode;
  /** Shown at the end of the title's line. */
  actions?: ReactNode;
  /** The menu has them as well: a phone shows the page's content instead. */
  inMenu?: boolean;
  /** Below both, as wide as the page. */
  lead?: ReactNode;
}

/** The title of a page with its main actions, and a line below it. */
export const PageHead = ({ children, actions, inMenu, lead }: PageHeadProps) => (
  <div className={css.head}>
    {children}
    {lead && <p className={css.lead}>{lead}</p>}
    {actions && <div className={inMenu ? `${css.actions} ${css.inMenu}` : css.actions}>{actions}</div>}
  </div>
);

interface WayBackProps {
  /** The page above this one. */
  to: string;
  text: MessageId;
}

/** Above the title: the way back to the page above this one. */
export const WayBack = ({ to, text }: WayBackProps) => (
  <p className={css.back}>
    <Link to={to} text={text} />
  </p>
);

interface DayTitleProps {
  /** Any moment of the day, as ISO 8601. */
  at: string;
  /** One below the heading above it. */
  level: 'h2' | 'h3';
}

/** Heading of the entries of one day in the browser's time zone. */
export function DayTitle({ at, level: Level }: DayTitleProps) {
  const { language } = usePage();
  const titleOf = useMemo(() => titlesIn(localeOf(language)), [language]);
  return <Level className={css.day}>{titleOf(new Date(at), new Date(useNow()))}</Level>;
}

/** Today and yesterday by name, other days by date, without the year this year. */
function titlesIn(name: string): (day: Date, today: Date) => string {
  const locale = `${name}-u-ca-gregory-nu-latn`;
  const written: Intl.DateTimeFormatOptions = { weekday: 'long', day: 'numeric', month: 'long' };
  const thisYear = new Intl.DateTimeFormat(locale, written);
  const otherYear = new Intl.DateTimeFormat(locale, { ...written, year: 'numeric' });
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  return (day, today) => {
    const yesterday = new Date(today);
    yesterday.setDate(today.getDate() - 1);
    const near = [today, yesterday].findIndex((known) => known.toDateString() === day.toDateString());
    const date = day.getFullYear() === today.getFullYear() ? thisYear : otherYear;
    const title = near < 0 ? date.format(day) : relative.format(-near, 'day');
    return title.charAt(0).toLocaleUpperCase(locale) + title.slice(1);
  };
}

/** A computer, a laptop and a smartphone, in outline. */
const devices = ['M3 4h14v9H3zM10 13v3M6.5 16.5h7', 'M4 5h12v8H4zM2 15.5h16', 'M6.5 2.5h7v15h-7zM9.5 15h1'];

/** A decorative preview of a filled list; the text beside it says that the list is empty. */
export const GhostRows = () => (
  <div className={css.rows} aria-hidden="true">
    {devices.map((drawing) => (
      <div key={drawing} className={css.row}>
        <svg viewBox="0 0 20 20" width="1.5rem" height="1.5rem" aria-hidden="true">
          <path d={drawing} />
        </svg>
        <span className={css.name} />
        <span className={css.sign} />
        <span className={css.light} />
      </div>
    ))}
  </div>
);
