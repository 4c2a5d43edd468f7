import { useNow, useTimes } from '../../browser/language/times.ts';
import css from './day-title.module.css';

interface DayTitleProps {
  /** Any moment of the day, as ISO 8601. */
  at: string;
  /** One below the heading above it. */
  level: 'h2' | 'h3';
}

/** Heading of the entries of one day. */
export function DayTitle({ at, level: Level }: DayTitleProps) {
  const { dayTitle } = useTimes();
  return <Level className={css.day}>{dayTitle(at, useNow())}</Level>;
}
