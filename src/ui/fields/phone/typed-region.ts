import { AsYouType } from 'libphonenumber-js/min';

/** The country of a number typed with its calling code, as soon as the digits identify it. */
export function regionOf(typed: string): string | undefined {
  const number = new AsYouType();
  number.input(typed.replace(/^\s*00/, '+'));
  return number.getCountry();
}
