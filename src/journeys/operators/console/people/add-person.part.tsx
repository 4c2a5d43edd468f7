import { Paragraph } from '../../../../browser/language/text.tsx';
import { Link } from '../../../../browser/navigation/navigation.tsx';
import { usePage } from '../../../../browser/navigation/page.tsx';
import { sendRequest } from '../../../../browser/requests/send-request.ts';
import type { LanguageCode } from '../../../../contract/languages.ts';
import { Checkbox } from '../../../../ui/fields/choice-fields.tsx';
import { TextField } from '../../../../ui/fields/field.tsx';
import { forProfile, profileTexts } from '../../../../ui/fields/profile-fields.tsx';
import { createPerson } from '../../people.contract.ts';
import { ActDialog } from '../layout/act-dialog.part.tsx';
import { DetailsFields } from '../person/details.part.tsx';

interface AddPersonProps {
  /** Called once the account is created. */
  done: () => void;
  close: () => void;
}

/** The dialog that creates an account for someone. */
export function AddPerson({ done, close }: AddPersonProps) {
  const { language } = usePage();
  return (
    <ActDialog
      label="console_people.add"
      does="console_people.add_does"
      required={['email', 'name']}
      fields={(field) => (
        <>
          <TextField field={field('email')} label="label.email" autoComplete="off" dir="ltr" spellCheck={false} />
          <DetailsFields field={field} first={{ name: '', ...profileTexts({}), locale: language }} />
          <TextField field={field('phone')} label="label.phone" optional autoComplete="off" dir="ltr" />
          <Checkbox field={{ ...field('invite'), value: true }} label="console_people.invite" />
        </>
      )}
      send={async (typed, sending) => {
        const [email, name, invite] = [typed('email'), typed('name'), typed('invite') !== ''];
        const [phone, reason] = [typed('phone') || undefined, typed('reason') || undefined];
        const locale = typed('locale') as LanguageCode;
        const body = { email, name, phone, ...forProfile(typed), locale, invite, reason };
        const { id } = await sendRequest(createPerson, { body, ...sending });
        done();
        return (
          <>
            {invite && <Paragraph id="console_act.link_sent" values={{ email }} />}
            <p>
              <Link to={`/console/people/${id}/`}>
                <bdi>{name}</bdi>
              </Link>
            </p>
          </>
        );
      }}
      close={close}
    />
  );
}
