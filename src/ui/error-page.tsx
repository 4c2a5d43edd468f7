import { useReference } from '../browser/failure-page.ts';
import { Link } from '../browser/navigation.tsx';
import { Text } from '../browser/text.tsx';
import button from './button.module.css';
import { ClearLayout } from './clear-layout.tsx';
import form from './form.module.css';
import { IsolatedText } from './isolated-text.tsx';
import { Title } from './title.tsx';

/** Something of ours failed: one way on, and what to name to the support. */
export default function ErrorPage() {
  const reference = useReference();
  return (
    <ClearLayout>
      <Title title="error_page.page" lead="error_page.lead" />
      <div className={form.form}>
        <button type="button" className={`${button.button} ${button.wide}`} onClick={() => location.reload()}>
          <Text id="error_page.retry" />
        </button>
        {reference && (
          <p>
            <IsolatedText id="error_page.reference" values={{ reference }} />
          </p>
        )}
      </div>
      <p className={form.after}>
        <Link to="/">
          <Text id="error_page.home" />
        </Link>
      </p>
    </ClearLayout>
  );
}
