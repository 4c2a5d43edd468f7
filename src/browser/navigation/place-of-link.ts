import { hours } from '../../contract/durations.ts';
import { browserStorage, tabStorage } from '../platform/storage.ts';

/** Applications wait for a sign-in this long. */
const linkedFor = hours(1);

/** Remembers the page that required the sign-in for an emailed link, which opens in another tab of this browser. */
export function keepPlaceForLink(): void {
  const place = tabStorage.read('return_place');
  browserStorage.write('return_of_link', place && JSON.stringify({ place, at: Date.now() }));
}

/** Takes the remembered page over into the tab of the link, unless that is too long ago. */
export function takePlaceOfLink(): void {
  const { place, at } = browserStorage.readRecord('return_of_link');
  browserStorage.write('return_of_link', undefined);
  if (typeof place === 'string' && Number(at) > Date.now() - linkedFor) tabStorage.write('return_place', place);
}
