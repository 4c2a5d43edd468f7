import type { Mutation } from '../drill.ts';

export const appMutations: readonly Mutation[] = [
  {
    mistake: 'the guard admits accounts outside of the group',
    place: 'guard-ignores-groups',
    change: { value: () => 'true' },
    scene: 'nginx',
  },
  {
    mistake: 'an account outside of the group lets a device in',
    place: 'device-ignores-groups',
    change: { value: () => 'false' },
    scene: 'oidc-agent',
  },
];
