import { tabStorage } from '../../browser/platform/storage.ts';
import { type Act, press, type } from '../../gallery/acts.ts';
import {
  account,
  createOptions,
  keyPasskey,
  macPasskey,
  over,
  passwordOnly,
  signedIn,
} from '../../gallery/examples/account.ts';
import {
  cancelsPasskey,
  createsAutomatically,
  hasPasskeyAlready,
  lacksPasskeys,
  usesPasskey,
  waitsForPasskey,
} from '../../gallery/passkey-dialogs.ts';
import { answers, type Reply, refuses } from '../../gallery/replies.ts';
import { refusalsOf, type State, type States } from '../../gallery/state.tsx';
import { readSecurity } from '../account/second-step/second-step-settings.contract.ts';
import { requestRecovery } from '../recover-password/recover-password.contract.ts';
import {
  addPasskey,
  listPasskeys,
  newPasskeyChallenge,
  removePasskey,
  removePassword,
  renamePasskey,
} from './passkeys.contract.ts';

const security = { ...passwordOnly, passkeys: 2 };
const two = answers(listPasskeys, { passkeys: [macPasskey, keyPasskey], rp_id: 'localhost', user_id: 'dXNlcg' });
const one = answers(listPasskeys, { passkeys: [keyPasskey] });
const none = answers(listPasskeys, { passkeys: [] });
const options = answers(newPasskeyChallenge, createOptions);

const single = answers(readSecurity, { ...security, passkeys: 1 });

const shown = (list: Reply, acts: readonly Act[] = [], replies: readonly Reply[] = []) =>
  ({
    ...signedIn,
    replies: [...replies, answers(readSecurity, security), list, account],
    acts,
  }) satisfies Partial<State>;
const prepared = (prepare: () => void) => () => {
  signedIn.before();
  prepare();
};
const adding = (prepare: () => void, replies: readonly Reply[] = []) => ({
  ...shown(none, [press('security.passkey_add')], [...replies, options]),
  before: prepared(prepare),
});
const rename = [press('security.rename'), type({ passkey_name: 'Work laptop' }), press('account.save')];
const remove = [press('security.remove'), press('security.passkey_remove')];
const removeWord = [press('security.password_remove'), press('security.password_remove')];
const words = { not_signed_in: 'failure.session_ended' } as const;

const refused = (prefix: string, endpoint: Parameters<typeof refusalsOf>[0], from: Omit<State, 'shows'>) =>
  Object.fromEntries(
    Object.entries(refusalsOf(endpoint, { from: { ...from, replies: [...over, ...(from.replies ?? [])] }, words })).map(
      ([name, state]) => [`${prefix}, ${name}`, state],
    ),
  );

/** The first page after a sign-in with a password. */
const arrived = (prepare: () => void, replies: readonly Reply[] = [], acts: readonly Act[] = []) =>
  ({
    before: prepared(() => {
      tabStorage.write('entered_by', 'password');
      prepare();
    }),
    replies: [...replies, answers(readSecurity, security), account],
    acts,
  }) satisfies Partial<State>;
const create = [press('passkey_offer.create')];

export const states: readonly States[] = [
  {
    of: 'Passkeys',
    page: 'account-security',
    states: {
      none: { ...shown(none), shows: ['security.passkeys_text', 'security.passkey_add'] },
      two: { ...shown(two), shows: ['security.passkey_synced', 'security.passkey_local', 'security.passkey_unused'] },
      'long names': {
        ...shown(answers(listPasskeys, { passkeys: [{ ...keyPasskey, name: 'passkey'.repeat(25) }] })),
        shows: ['security.passkey_created'],
      },
      'an old browser': { ...shown(none), before: prepared(lacksPasskeys), shows: ['passkey.unsupported'] },
      ...refused('reading', listPasskeys, { ...signedIn, replies: [answers(readSecurity, security), account] }),
      creating: { ...adding(waitsForPasskey), shows: ['form.wait'] },
      'not created': { ...adding(cancelsPasskey), shows: ['passkey.canceled'] },
      'there already': { ...adding(hasPasskeyAlready), shows: ['failure.passkey_exists'] },
      added: { ...adding(usesPasskey, [answers(addPasskey, macPasskey)]), shows: ['security.passkey_added'] },
      'too many': {
        ...adding(usesPasskey, [refuses(newPasskeyChallenge, 'passkey_refused', { limit: 50 })]),
        shows: ['security.passkey_limit'],
      },
      ...refused('creating', newPasskeyChallenge, shown(none, [press('security.passkey_add')])),
      ...refused('adding', addPasskey, adding(usesPasskey)),
    },
  },
  {
    of: 'Rename or remove a passkey',
    page: 'account-security',
    states: {
      renaming: {
        ...shown(one, [press('security.rename')], [single]),
        shows: ['security.passkey_name', 'account.cancel'],
      },
      'without a name': {
        ...shown(one, [press('security.rename'), type({ passkey_name: '' }), press('account.save')]),
        shows: ['invalid.required'],
      },
      ...refused('renaming', renamePasskey, shown(one, rename, [single])),
      renamed: { ...shown(one, rename, [single, answers(renamePasskey, keyPasskey)]), shows: ['account.saved'] },
      'removing it': {
        ...shown(one, [press('security.remove')], [single]),
        shows: ['security.passkey_remove_text', 'account.cancel'],
      },
      ...refused('removing', removePasskey, shown(one, remove, [single])),
      removed: {
        ...shown(one, remove, [single, answers(removePasskey, undefined)]),
        shows: ['security.passkey_removed'],
      },
    },
  },
  {
    of: 'Remove the password',
    page: 'account-security',
    states: {
      offered: { ...shown(two), shows: ['security.password_remove'] },
      'asked first': {
        ...shown(two, [press('security.password_remove')]),
        shows: ['security.password_remove_text', 'account.cancel'],
      },
      ...refused('removing', removePassword, shown(two, removeWord)),
      removed: {
        ...shown(two, removeWord, [answers(removePassword, undefined)]),
        shows: ['security.password_removed'],
      },
      'without one': {
        ...shown(two, [], [answers(readSecurity, { ...security, password: false })]),
        shows: ['security.no_password', 'security.password_set'],
      },
      'without one and without passkeys': {
        ...shown(none, [], [answers(readSecurity, { ...security, password: false, passkeys: 0 })]),
        shows: ['security.password_set', 'security.passkeys_text'],
      },
      'a link to set one': {
        ...shown(
          two,
          [press('security.password_set')],
          [answers(readSecurity, { ...security, password: false }), answers(requestRecovery, {})],
        ),
        shows: ['security.password_link'],
      },
    },
  },
  {
    of: 'Passkey after a sign-in',
    page: 'account',
    states: {
      offered: {
        ...arrived(usesPasskey),
        shows: ['passkey_offer.title', 'passkey_offer.text', 'passkey_offer.create', 'passkey_offer.decline'],
      },
      declined: { ...arrived(usesPasskey, [], [press('passkey_offer.decline')]), shows: ['account_profile.page'] },
      creating: { ...arrived(waitsForPasskey, [options], create), shows: ['form.wait'] },
      ...refused('creating', addPasskey, arrived(usesPasskey, [options], create)),
      'created by itself': {
        ...arrived(createsAutomatically, [options, answers(addPasskey, macPasskey)]),
        shows: ['passkey_offer.created', 'passkey_offer.undo'],
      },
      ...refused(
        'undoing',
        removePasskey,
        arrived(createsAutomatically, [options, answers(addPasskey, macPasskey)], [press('passkey_offer.undo')]),
      ),
      undone: {
        ...arrived(
          createsAutomatically,
          [options, answers(addPasskey, macPasskey), answers(removePasskey, undefined)],
          [press('passkey_offer.undo')],
        ),
        shows: ['security.passkey_removed'],
      },
    },
  },
];
