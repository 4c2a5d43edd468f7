import { Text } from '../../browser/language/text.tsx';
import css from './reverse-call.module.css';

/** Whom to call; the page hears of it by itself. On a phone the number is a button that calls. */
export const ReverseCall = ({ number }: { number: string }) => (
  <div className={css.call}>
    <p>
      <Text id="phone.reverse_how" />
    </p>
    <a className={css.number} href={`tel:${number}`} dir="ltr">
      {inGroups(number)}
    </a>
  </div>
);

/** Groups that can be read out; how a country writes its numbers is not worth 30 kB here. */
const inGroups = (number: string): string => number.replace(/\B(?=(\d{2})+$)/g, '\u00a0').replace('+\u00a0', '+');
