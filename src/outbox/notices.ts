import { hours } from '../contract/units.ts';
import type { UnprovenLimit } from '../store/emails/suppression-list.ts';
import type { EmailContent, EmailContext } from './email/email-content.ts';
import * as account from './notices/account.ts';
import * as credentials from './notices/credentials.ts';
import * as signIn from './notices/sign-in.ts';

/** Delivery rules of a notice, beyond the common ones. */
interface Policy {
  /** A person is waiting for it, so it leaves before informational emails. */
  readonly urgent?: true;
  /** Proves that someone reads the address, so it is sent even to an address on the suppression list. */
  readonly ignoresSuppression?: true;
  /** Its link undoes a theft, so to an unproven address it has a limit of its own. */
  readonly hasUndoLink?: true;
  /** Useless a day later: once given up, it is never sent again. */
  readonly shortLived?: true;
  /** Once given up, it is sent again only while its reset link works. */
  readonly hasResetLink?: true;
  /** May happen many times an hour: `enqueueBatched` puts further events into the same email. */
  readonly gathered?: true;
}

/** The address of one of our pages, in the language of an example. */
type LinkTo = (page: string, query: Readonly<Record<string, string>>) => string;

/** A notice: its text, the parameters of an example for the preview, and its policy. */
export const notice = <Params extends object, const Rules extends Policy = object>(
  text: (context: EmailContext, params: Params) => EmailContent,
  example: (linkTo: LinkTo) => NoInfer<Params>,
  rules?: Rules,
) => ({ text, example, ...(rules as Rules) });

/** When the events of examples happened. */
export const exampleTime = Date.UTC(2026, 10, 21, 17, 5);
const when = exampleTime;
const secret = 'kX2vN8qR5tY1uB4zD7wG0jL3mP6sV9aC_eH-fIoQrTE';
export const exampleEmail = 'ada@mail.example';
const resetLink = (linkTo: LinkTo) => ({ link: linkTo('/reset-password/', { email: exampleEmail, hash: secret }) });
const firefox = { device: 'Firefox, Windows', ip: '192.0.2.7', when };
const inBerlin = { ...firefox, place: 'Berlin' };

/** Every notice of this wing. A new one needs its text in a file of `notices/`, and a line here. */
const ofAccounts = {
  recovery: notice(credentials.recovery, resetLink, { urgent: true, hasResetLink: true }),
  invitation: notice(credentials.invitation, resetLink, { urgent: true, hasResetLink: true }),
  password_changed: notice(credentials.passwordChanged, () => ({ when })),
  session_reused: notice(signIn.sessionReused, () => ({ ip: '192.0.2.7', when })),
  new_device: notice(signIn.newDevice, () => inBerlin, { gathered: true }),
  device_let_in: notice(signIn.deviceLetIn, () => ({ ...inBerlin, app: 'Grafana' })),
  phone_changed: notice(account.phoneChanged, () => ({ when, digits: '67' })),
  email_change: notice(
    account.emailChange,
    (linkTo) => ({ link: linkTo('/change-email/', { email: exampleEmail, hash: secret }) }),
    { urgent: true, ignoresSuppression: true },
  ),
  email_changed: notice(
    account.emailChanged,
    (linkTo) => ({
      email: 'ada@new.example',
      link: linkTo('/change-email/', { email: exampleEmail, hash: `undo.${secret}` }),
      when,
    }),
    { hasUndoLink: true },
  ),
  email_change_undone: notice(account.emailChangeUndone, resetLink, { urgent: true, hasResetLink: true }),
  email_confirmation: notice(
    account.emailConfirmation,
    (linkTo) => ({ link: linkTo('/account/security/', { hash: secret }) }),
    { urgent: true },
  ),
  deletion_planned: notice(account.deletionPlanned, () => ({ when })),
  deletion_canceled: notice(account.deletionCanceled, () => ({})),
  account_cleared: notice(account.accountCleared, () => ({})),
  account_deleted: notice(account.accountDeleted, () => ({ when })),
  registered: notice(account.registered, () => ({ proof: secret })),
  sign_in_code: notice(signIn.signInCode, () => ({ code: '048217', ...firefox }), { urgent: true, shortLived: true }),
  confirm_mail: notice(
    account.confirmMail,
    (linkTo) => ({ link: linkTo('/confirm-mail/', { call: 'pT4wZ1xK8vQ2nB6mR9sL', hash: secret }) }),
    { urgent: true, shortLived: true },
  ),
  passkey_added: notice(credentials.passkeyAdded, () => ({
    ...inBerlin,
    passkey: 'iCloud Keychain',
    device: 'Safari, macOS',
  })),
  passkey_removed: notice(credentials.passkeyRemoved, () => ({ ...inBerlin, passkey: 'Windows Hello' })),
  passkey_copied: notice(credentials.passkeyCopied, () => ({ ...inBerlin, passkey: 'YubiKey' })),
  passkey_changed: notice(credentials.passkeyChanged, () => ({ ...inBerlin, passkey: 'KeePassXC' })),
  password_removed: notice(credentials.passwordRemoved, () => ({ when })),
  second_step_changed: notice(signIn.secondStepChanged, () => ({ change: 'added' as const, when, origin: firefox })),
  second_step_removal: notice(
    signIn.secondStepRemoval,
    (linkTo) => ({
      when: when + hours(24),
      link: linkTo('/keep-second-step/', { hash: secret }),
      origin: firefox,
    }),
    { urgent: true },
  ),
  recovery_codes_low: notice(credentials.recoveryCodesLow, () => ({ left: 3, origin: firefox })),
};

type OfAccounts = typeof ofAccounts;

/** The notices of all wings: another wing declares its own here, and joins them by `joinNotices`. */
export interface Notices extends OfAccounts {}

export type NoticeName = keyof Notices;

/** A notice with the parameters of its text. */
export type AnyNotice = {
  [Name in NoticeName]: { readonly notice: Name; readonly params: Parameters<Notices[Name]['text']>[1] };
}[NoticeName];

/** Parameters whose reader can do what only the owner may do. */
export type SecretParam = 'link' | 'code' | 'proof';

interface AnyText extends Policy {
  // `enqueueEmail` wrote the parameters, and its types bind a notice to them.
  text(context: EmailContext, params: object): EmailContent;
  example(linkTo: LinkTo): object;
}

const joined = { ...ofAccounts } as unknown as Record<NoticeName, AnyText>;

export const noticeNames = Object.keys(joined) as NoticeName[];

/** Adds the notices of another wing, before the first email. */
export function joinNotices(others: Omit<Notices, keyof OfAccounts>): void {
  noticeNames.push(...(Object.keys(others) as NoticeName[]));
  Object.assign(joined, others);
}

export const noticeNamed = (name: NoticeName): AnyText => joined[name];

/** The notices whose policy has this rule. */
export type NoticeWith<Rule extends keyof Policy> = {
  [Name in NoticeName]: Notices[Name] extends Required<Pick<Policy, Rule>> ? Name : never;
}[NoticeName];

export const noticesWith = (rule: keyof Policy): NoticeName[] => noticeNames.filter((name) => rule in joined[name]);

export const isUrgent = (name: NoticeName): boolean => 'urgent' in joined[name];

/** The limit of an unproven address that may drop it. Emails that a person waits for have limits of their own. */
export function unprovenLimitOf(name: NoticeName): UnprovenLimit | undefined {
  if (isUrgent(name)) return undefined;
  return 'hasUndoLink' in joined[name] ? 'undo-links-to' : 'notices-to';
}

export const ignoresSuppression = (notice: string): boolean =>
  isNoticeName(notice) && 'ignoresSuppression' in joined[notice];

/**
 * Whether a suppressed address gets one a day: otherwise its owner could not get in until the address is off the list.
 */
export const isLimitedToOneADay = (notice: string): boolean => notice === ('recovery' satisfies NoticeName);

export const isNoticeName = (name: string): name is NoticeName => Object.hasOwn(joined, name);
