import type { Drill } from '../drill.ts';
import { guardScenes } from './guard.ts';
import { oidcAgentScene } from './oidc-agent.ts';

export const drill: Drill = {
  promise: 'Third-party software signs people in and out through the provider and the guard, and admits no one else.',
  maxConcurrent: 2,
  scenes: [...guardScenes, oidcAgentScene],
};
