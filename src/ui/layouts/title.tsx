import { useEffect, useRef } from 'react';
import { Text, useText } from '../../browser/language/text.tsx';
import { usePage } from '../../browser/navigation/page.tsx';
import type { MessageId } from '../../messages/ids.ts';
import css from './title.module.css';

interface TitleProps {
  title: MessageId;
  lead?: MessageId;
}

/** The page's heading, and under it one sentence. */
export const Title = ({ title, lead }: TitleProps) => (
  <div className={css.head}>
    <h1>
      <Text id={title} />
    </h1>
    {lead && (
      <p className={css.lead}>
        <Text id={lead} />
      </p>
    )}
  </div>
);

/** The heading of a further step on the same page: it takes the focus, and the tab's title. */
export function StepTitle({ title }: { title: MessageId }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { setTitle, settings } = usePage();
  const words = useText()(title);
  useEffect(() => heading.current?.focus(), []);
  useEffect(() => {
    setTitle(`${words} – ${settings.productName}`);
    return () => setTitle(undefined);
  }, [words, settings, setTitle]);
  return (
    <div className={css.head}>
      <h1 ref={heading} tabIndex={-1}>
        {words}
      </h1>
    </div>
  );
}
