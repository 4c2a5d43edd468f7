import { type ReactNode, useEffect, useRef } from 'react';
import { Text, useText } from '../../browser/language/text.tsx';
import { usePage } from '../../browser/navigation/page.tsx';
import type { MessageId } from '../../messages/ids.ts';
import css from './title.module.css';

interface TitleProps {
  /** One sentence under it. */
  lead?: ReactNode;
  children: ReactNode;
}

/** The page's heading. */
export const Title = ({ lead, children }: TitleProps) => (
  <div className={css.head}>
    <h1>{children}</h1>
    {lead && <p className={css.lead}>{lead}</p>}
  </div>
);

interface StepTitleProps {
  title: MessageId;
  /** Names of others in the title, in any direction. */
  values?: Record<string, string>;
  lead?: MessageId;
}

/** The heading of a step within a page; takes the focus and sets the tab's title. */
export function StepTitle({ title, values, lead }: StepTitleProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { setStep, settings } = usePage();
  const t = useText();
  const words = t(title, values);
  useEffect(() => heading.current?.focus(), []);
  useEffect(() => {
    // Tabs show soft hyphens of long words.
    setStep(`${words.replaceAll('\u00ad', '')} – ${settings.productName}`);
    return () => setStep(undefined);
  }, [words, settings, setStep]);
  return (
    <div className={css.head}>
      <h1 ref={heading} tabIndex={-1}>
        {values ? <Text id={title} values={values} dir="auto" /> : words}
      </h1>
      {lead && <p className={css.lead}>{t(lead)}</p>}
    </div>
  );
}
