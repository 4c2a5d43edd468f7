import type { ResponseBody } from '../../contract/endpoint.ts';
import type { requestCall } from '../../journeys/confirm-phone/confirm-phone.contract.ts';

/** A call that has been placed to confirm a number. */
export const placedCall: ResponseBody<typeof requestCall> = {
  call: 'c',
  digits: 4,
  expires_in: 300,
  resend_in: 30,
  attempts_left: 5,
};
