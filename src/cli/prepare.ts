import { dist } from '../server/open-service.ts';
import { openPages } from '../server/pages/rendered-pages.ts';
import { openSenders } from '../server/senders.ts';
import { pageSettings, readConfig } from '../server/settings/config.ts';
import { describeVersion, readVersion } from '../server/version.ts';
import type { BareCommand } from './command.ts';

export const prepare: BareCommand = {
  usage: 'prepare',
  summary: 'render the pages of this build with these settings, so that the service starts within seconds',
  example: 'prepare',
  options: {},
  async runBare({ environment }) {
    const config = readConfig(environment);
    const { mail, calls } = openSenders(config, Date.now);
    await mail.close();
    let rendered = false;
    const onRender = () => {
      rendered = true;
    };
    await openPages({ dist, dataDir: config.DATA_DIR, settings: pageSettings(config, calls), onRender });
    const version = readVersion();
    const text = `${describeVersion(version)}: ${rendered ? 'rendered the pages' : 'the pages were already rendered'}.`;
    return { text, data: { rendered, ...version } };
  },
};
