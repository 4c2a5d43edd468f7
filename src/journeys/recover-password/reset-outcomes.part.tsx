import { Text } from '../../browser/language/text.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { Notice } from '../../ui/feedback/notice.tsx';
import { ClearLayout } from '../../ui/layouts/clear-layout.tsx';
import { Stack } from '../../ui/layouts/stack.tsx';
import { StepTitle } from '../../ui/layouts/title.tsx';

/** The password is set. A reset starts no session, so the next step is to sign in. */
export const PasswordSet = () => (
  <ClearLayout>
    <StepTitle title="reset.success" />
    <Stack>
      <Notice kind="success">
        <Text id="reset.success_lead" />
      </Notice>
      <ButtonLink to="/" label="reset.sign_in" />
    </Stack>
  </ClearLayout>
);

/** The link is expired, used or invalid. */
export const LinkExpired = () => (
  <ClearLayout>
    <StepTitle title="reset.expired_title" />
    <Stack>
      <p>
        <Text id="failure.reset_link_invalid" />
      </p>
      <ButtonLink to="/recovery/" label="reset.request_new" />
    </Stack>
  </ClearLayout>
);
