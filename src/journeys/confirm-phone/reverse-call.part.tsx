import { Text } from '../../browser/language/text.tsx';
import css from './reverse-call.module.css';

/** Whom to call; the page hears of it by itself. On a phone the number is a button that calls. */
export const ReverseCall = ({ number }: { number: string }) => (
  <div className={css.call}>
    <p>
      <Text id="phone.reverse_how" />
    </p>
    <a className={css.number} href={`tel:${number.replaceAll(/[^+\d]/g, '')}`} dir="ltr">
      {number}
    </a>
  </div>
);
