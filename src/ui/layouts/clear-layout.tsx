import type { ReactNode } from 'react';
import { Frame } from './frame.tsx';
import { Panel, withPanel } from './panel.tsx';
import { Doorway } from './picture.tsx';

/** One column without text beside it. Headings stay where the default layout has them. */
export const ClearLayout = ({ children }: { children: ReactNode }) => (
  <Frame className={withPanel} panel={<Panel picture={<Doorway />} />}>
    {children}
  </Frame>
);
