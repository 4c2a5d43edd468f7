import { Text } from '../../../../browser/language/text.tsx';
import { sendRequest } from '../../../../browser/requests/send-request.ts';
import type { ResponseBody } from '../../../../contract/endpoint.ts';
import { knownClaims } from '../../../../contract/openid-scopes.ts';
import { Command } from '../../../../ui/command.tsx';
import { Checkbox } from '../../../../ui/fields/choice-fields.tsx';
import { TextField } from '../../../../ui/fields/field.tsx';
import { addApplication, type listApplications } from '../../applications.contract.ts';
import { ActDialog, type FieldOf, LinesField, ShownOnce } from '../layout/act-dialog.part.tsx';

export type Application = ResponseBody<typeof listApplications>['items'][number];

interface FieldsProps {
  field: FieldOf;
  /** As it is; absent for a new one. */
  application?: Application;
}

const NameAndAddresses = ({ field, application }: FieldsProps) => (
  <>
    <TextField
      field={field('client_name')}
      label="console_applications.name"
      autoComplete="off"
      defaultValue={application?.client_name}
    />
    <LinesField
      field={{ ...field('redirect_uris'), value: (application?.redirect_uris ?? []).join('\n') }}
      label="console_applications.redirect_uris"
      dir="ltr"
    />
  </>
);

const FirstParty = ({ field, application }: FieldsProps) => (
  <Checkbox
    field={{ ...field('first_party'), value: application?.first_party ?? false }}
    label="console_applications.first_party"
  />
);

type Typed = (name: string) => string;

const linesIn = (text: string): string[] => text.split(/[\s,]+/).filter((line) => line !== '');

const typedMain = (typed: Typed) => ({
  client_name: typed('client_name'),
  redirect_uris: linesIn(typed('redirect_uris')),
  first_party: typed('first_party') !== '',
});

interface AddApplicationProps {
  done: () => void;
  close: () => void;
}

/** Adds an application that people sign in to, and shows its secret once. */
export const AddApplication = ({ done, close }: AddApplicationProps) => (
  <ActDialog
    label="console_applications.add"
    does="console_applications.add_does"
    required={['client_name', 'redirect_uris']}
    fields={(field) => (
      <>
        <NameAndAddresses field={field} />
        <Checkbox field={{ ...field('public'), value: false }} label="console_applications.public" />
        <FirstParty field={field} />
      </>
    )}
    send={async (typed, sending) => {
      const body = { ...typedMain(typed), public: typed('public') !== '', reason: typed('reason') || undefined };
      const { client_id, client_secret } = await sendRequest(addApplication, { body, ...sending });
      done();
      return (
        <>
          <Command systems="client_id" command={client_id} />
          {client_secret && <ShownOnce secret={client_secret} />}
        </>
      );
    }}
    close={close}
  />
);

/** What an owner can change about an application here; the rest are for few, and stay. */
export const ApplicationFields = ({ field, application }: Required<FieldsProps>) => (
  <>
    <NameAndAddresses field={field} application={application} />
    <LinesField
      field={{ ...field('groups'), value: application.groups.join('\n') }}
      label="console_applications.groups"
      hint={<Text id="console_applications.groups_hint" />}
      optional
      dir="ltr"
    />
    <LinesField
      field={{ ...field('post_logout_redirect_uris'), value: application.post_logout_redirect_uris.join('\n') }}
      label="console_applications.post_logout"
      optional
      dir="ltr"
    />
    <TextField
      field={field('backchannel_logout_uri')}
      label="console_applications.backchannel"
      optional
      inputMode="url"
      autoComplete="off"
      dir="ltr"
      spellCheck={false}
      defaultValue={application.backchannel_logout_uri}
    />
    <LinesField
      field={{
        ...field('claims'),
        value: Object.entries(application.claims)
          .map((pair) => pair.join('='))
          .join('\n'),
      }}
      label="console_applications.claims"
      hint={
        <Text
          id="console_applications.claims_hint"
          values={{ example: 'preferred_username=email', claims: Object.keys(knownClaims).join(', ') }}
        />
      }
      optional
      dir="ltr"
    />
    <FirstParty field={field} application={application} />
  </>
);

/** The changes that the form with these fields says. */
export const typedApplication = (typed: Typed) => ({
  ...typedMain(typed),
  groups: linesIn(typed('groups')),
  post_logout_redirect_uris: linesIn(typed('post_logout_redirect_uris')),
  backchannel_logout_uri: typed('backchannel_logout_uri') || null,
  claims: Object.fromEntries(linesIn(typed('claims')).map(pairIn)),
});

function pairIn(line: string): [name: string, claim: string] {
  const [name = '', ...claim] = line.split('=');
  return [name, claim.join('=')];
}
