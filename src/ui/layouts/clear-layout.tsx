import type { ReactNode } from 'react';
import { Frame } from './frame.tsx';
import { Panel, withPanel } from './panel.tsx';
import { Doorway } from './picture.tsx';

/** One column and nothing to read beside it, where the default layout has its form: going there moves no heading. */
export const ClearLayout = ({ children }: { children: ReactNode }) => (
  <Frame className={withPanel} panel={<Panel picture={<Doorway />} />}>
    {children}
  </Frame>
);
