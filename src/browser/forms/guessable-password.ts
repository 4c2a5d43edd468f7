import { listCommonPasswords, passwordGroup } from '../../contract/sign-in/common-passwords.ts';
import { sendRequest } from '../requests/send-request.ts';

/** No shorter password is on the list. */
const shortest = 4;

/** Whether a password is common. The server finds out neither the password nor whether it is on the list. */
export async function isGuessable(password: string): Promise<boolean> {
  if (password.length < shortest) return false;
  const { passwords } = await sendRequest(listCommonPasswords, { params: { group: passwordGroup(password) } });
  return passwords.includes(password) || passwords.includes(password.toLowerCase());
}
