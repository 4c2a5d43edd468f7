import { Text } from '../../../browser/language/text.tsx';
import type { RequestFailure } from '../../../browser/requests/request-failure.ts';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { Failed } from '../../../ui/feedback/notice.tsx';
import { Overdue } from '../../../ui/feedback/overdue.tsx';
import { Stack } from '../../../ui/layouts/stack.tsx';
import { StepTitle } from '../../../ui/layouts/title.tsx';

/** The pending sign-in has expired, or there is none. The sign-in form still has the email address. */
export const SignInOver = () => (
  <>
    <StepTitle title="second_step.over" />
    <Stack>
      <p>
        <Text id="failure.sign_in_expired" />
      </p>
      <ButtonLink to="/" label="reset.sign_in" />
    </Stack>
  </>
);

/** The server has not said yet which methods the account has. */
export const Unread = ({ failure, retry }: { failure: RequestFailure | undefined; retry: () => void }) =>
  failure ? (
    <Stack>
      <Failed failure={failure} />
      <Button label="form.retry" quiet onClick={retry} />
    </Stack>
  ) : (
    <Overdue waiting retry={retry} />
  );
