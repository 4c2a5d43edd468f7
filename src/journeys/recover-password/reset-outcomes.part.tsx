import { Text } from '../../browser/language/text.tsx';
import { Link } from '../../browser/navigation/navigation.tsx';
import button from '../../ui/button.module.css';
import { Notice } from '../../ui/feedback/notice.tsx';
import { ClearLayout } from '../../ui/layouts/clear-layout.tsx';
import formCss from '../../ui/layouts/form.module.css';
import { StepTitle } from '../../ui/layouts/title.tsx';

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
