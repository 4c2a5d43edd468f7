import { useText } from '../../../../browser/language/text.tsx';
import { usePage } from '../../../../browser/navigation/page.tsx';
import type { GoingOnCode, SignInSecret } from '../../../../contract/console.ts';
import type { EndReason } from '../../../../contract/failures.ts';
import { localeOf } from '../../../../contract/languages.ts';
import type { MessageId } from '../../../../messages/ids.ts';
import { Sheet } from '../../../../ui/layouts/card.tsx';
import { TextButton } from '../../../../ui/text-button.tsx';
import { type Params, Sentence, Signed, Signs, useNoticeName } from '../words/sentence.part.tsx';
import { type ActName, acts, type Person } from './acts.part.ts';

const ids: Readonly<Record<string, MessageId>> = {
  can_sign_in: 'going_on.can_sign_in',
  cannot_sign_in: 'going_on.cannot_sign_in',
  no_method_left: 'going_on.no_method_left',
  known_device_works: 'going_on.known_device_works',
  second_step_needed: 'going_on.second_step_needed',
  locked_by_operator: 'going_on.locked_by_operator',
  locked_by_wrong_passwords: 'going_on.locked_by_wrong_passwords',
  password_locked_on_known_device: 'going_on.password_locked_on_known_device',
  password_locked_for_signed_in: 'going_on.password_locked_for_signed_in',
  second_step_locked_on_new_browsers: 'going_on.second_step_locked_on_new_browsers',
  second_step_locked_on_known_device: 'going_on.second_step_locked_on_known_device',
  second_step_locked_for_signed_in: 'going_on.second_step_locked_for_signed_in',
  deletion_planned: 'going_on.deletion_planned',
  second_step_awaited: 'going_on.second_step_awaited',
  second_step_removal: 'going_on.second_step_removal',
  no_recovery_codes: 'going_on.no_recovery_codes',
  email_change_pending: 'going_on.email_change_pending',
  email_change_undoable: 'going_on.email_change_undoable',
  email_unproven: 'going_on.email_unproven',
  emails_accepted: 'going_on.emails_accepted',
  no_emails: 'going_on.no_emails',
  email_suppressed: 'going_on.email_suppressed',
  email_returned: 'going_on.email_returned',
  email_waiting: 'going_on.email_waiting',
  email_held_back: 'going_on.email_held_back',
  email_given_up: 'going_on.email_given_up',
  reset_emails_limited: 'going_on.reset_emails_limited',
  code_emails_limited: 'going_on.code_emails_limited',
  address_changes_limited: 'going_on.address_changes_limited',
  confirmation_emails_limited: 'going_on.confirmation_emails_limited',
  signed_in: 'going_on.signed_in',
  not_signed_in: 'going_on.not_signed_in',
  session_copied: 'going_on.last_session_ended',
  last_session_ended: 'going_on.last_session_ended',
} satisfies Record<GoingOnCode, MessageId>;

const secrets: Readonly<Record<string, MessageId>> = {
  password: 'label.password',
  mail_code: 'going_on.by_mail_code',
  passkey: 'going_on.by_passkey',
} satisfies Record<SignInSecret, MessageId>;

const ends: Readonly<Record<string, MessageId>> = {
  no_session: 'going_on.ended_expired',
  expired: 'going_on.ended_expired',
  signed_out: 'going_on.ended_signed_out',
  ended_elsewhere: 'going_on.ended_elsewhere',
  email_undone: 'going_on.ended_email_undone',
  password_changed: 'going_on.ended_password_changed',
  reused: 'going_on.ended_reused',
} satisfies Record<EndReason, MessageId>;

interface GoingOnSentenceProps {
  readonly code: string;
  readonly params: Params;
  readonly text: string;
}

/** What is going on with an account, in one sentence. */
function GoingOnSentence({ code, params, text }: GoingOnSentenceProps) {
  const t = useText();
  const locale = localeOf(usePage().language);
  const noticeName = useNoticeName();
  const { methods, notice, reason } = params;
  const named = (names: Readonly<Record<string, MessageId>>, name: string) => (names[name] ? t(names[name]) : name);
  const instead = {
    ...(Array.isArray(methods) && {
      methods: new Intl.ListFormat(locale, { type: 'disjunction' }).format(methods.map((one) => named(secrets, one))),
    }),
    ...(notice !== undefined && { notice: noticeName(String(notice)) }),
    ...(reason !== undefined && { reason: named(ends, String(reason)) }),
  };
  return <Sentence id={ids[code]} params={params} instead={instead} text={text} />;
}

/** Codes that need nothing from an operator. */
const fine =
  /^(?:can_sign_in|known_device_works|second_step_needed|signed_in|not_signed_in|emails_accepted|no_emails|last_session_ended)$/;
const isAct = (name: string | undefined): name is ActName => name !== undefined && Object.hasOwn(acts, name);

/** What is going on, each with what helps. */
export function GoingOn({ person, begin }: { person: Person; begin: ((name: ActName) => void) | undefined }) {
  return (
    <Sheet title="console_person.going_on">
      <Signs>
        {person.going_on.map(({ code, params, text, action }) => (
          <Signed key={code + text} sign={fine.test(code) ? 'fine' : 'warning'}>
            <GoingOnSentence code={code} params={params} text={text} />
            {begin && isAct(action) && <TextButton onClick={() => begin(action)} label={acts[action].label} />}
          </Signed>
        ))}
      </Signs>
    </Sheet>
  );
}
