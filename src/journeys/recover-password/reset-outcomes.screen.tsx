import { Link } from '../../browser/navigation.tsx';
import { Text } from '../../browser/text.tsx';
import button from '../../ui/button.module.css';
import { ClearLayout } from '../../ui/clear-layout.tsx';
import formCss from '../../ui/form.module.css';
import { Notice } from '../../ui/notice.tsx';
import { StepTitle } from '../../ui/title.tsx';

/** The password is set; no session was begun, so the way on is to sign in. */
export const PasswordSet = () => (
  <ClearLayout>
    <StepTitle title="reset.success" />
    <div className={formCss.form}>
      <Notice kind="success">
        <Text id="reset.success_lead" />
      </Notice>
      <Link to="/" className={`${button.button} ${button.wide}`}>
        <Text id="reset.sign_in" />
      </Link>
    </div>
  </ClearLayout>
);

/** The link is old, used or not ours. */
export const LinkExpired = () => (
  <ClearLayout>
    <StepTitle title="reset.expired_title" />
    <div className={formCss.form}>
      <p>
        <Text id="failure.reset_link_invalid" />
      </p>
      <Link to="/recovery/" className={`${button.button} ${button.wide}`}>
        <Text id="reset.request_new" />
      </Link>
    </div>
  </ClearLayout>
);
