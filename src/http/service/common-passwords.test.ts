import { expect, it } from 'vitest';
import { passwordGroup } from '../../contract/sign-in/common-passwords.ts';
import { openTestServer } from '../../testing/test-server.ts';

const server = openTestServer('sqlite');

it('each common password is in its group, which is short and never cached', async () => {
  for (const password of ['password1', 'iloveyou', 'Qwerty123']) {
    const { status, body, headers } = await (await server)
      .client()
      .get(`/auth/common-passwords/${passwordGroup(password)}`);
    expect(status).toBe(200);
    expect(body.passwords.map((one: string) => one.toLowerCase())).toContain(password.toLowerCase());
    expect(body.passwords.length).toBeLessThan(150);
    expect(headers.get('cache-control')).toBe('no-store');
  }
});

it('an unknown group is empty', async () => {
  expect((await (await server).client().get('/auth/common-passwords/xyz')).body).toEqual({ passwords: [] });
});
