import { useMemo } from 'react';
import { useNow } from '../../browser/language/times.ts';
import { usePage } from '../../browser/navigation/page.tsx';
import { localeOf } from '../../contract/languages.ts';
import css from './day-title.module.css';

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
