import { Text } from '../../../browser/language/text.tsx';
import { Card } from '../../../ui/layouts/card.tsx';
import { ConnectedApps } from '../../openid/connect/apps.part.tsx';
import { FormRow, useForms } from '../layout/form-row.part.tsx';
import { Remark, Rows } from '../layout/row.part.tsx';
import type { Account } from '../layout/section.part.tsx';
import { Consents } from './consents.part.tsx';
import { Delete, ExportRow } from './leave.part.tsx';

interface PrivacyProps {
  account: Account;
  /** The deletion is planned. */
  left: () => void;
}

export function Privacy({ account, left }: PrivacyProps) {
  const { form } = useForms<'delete'>();
  return (
    <>
      <Card>
        <h2 tabIndex={-1}>
          <Text id="account.consents" />
        </h2>
        <Consents account={account} />
      </Card>
      <ConnectedApps />
      <Rows>
        <ExportRow />
        <FormRow
          {...form('delete')}
          label="account.delete"
          button="account.delete"
          danger
          value={
            <Remark>
              <Text id="account.delete_text" />
            </Remark>
          }
        >
          {(_done, cancel) => <Delete done={left} cancel={cancel} />}
        </FormRow>
      </Rows>
    </>
  );
}
