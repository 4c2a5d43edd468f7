import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../src/testing/free-port.ts';
import { testCertificate } from '../../src/testing/mail/certificate.ts';
import type { Stage } from '../fixtures/stage.ts';
import { blockOf } from './document.ts';
import { requireInstalled } from './packages.ts';
import { hasCertificate, openFolder, startProgram } from './program.ts';

export interface GuardedSite {
  /** The port of the reverse proxy. */
  readonly port: number;
  /** The id of the application's client. */
  readonly client: string;
  /** The port of the service. */
  readonly service: number;
  /** The port of the application. */
  readonly app: number;
}

const places = ({ client, service, app }: GuardedSite) => ({
  CLIENT_ID: client,
  '10.0.0.5:3000': `127.0.0.1:${service}`,
  '127.0.0.1:8080': `127.0.0.1:${app}`,
});

/** nginx with the server block of docs/integrate.md. */
export async function startNginx(stage: Stage, site: GuardedSite): Promise<void> {
  const [file = ''] = requireInstalled('nginx');
  const folder = openFolder(stage);
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  writeFileSync(key, testCertificate.key);
  writeFileSync(certificate, testCertificate.cert);
  const listen = `listen 127.0.0.1:${site.port} ssl; ssl_certificate ${certificate}; ssl_certificate_key ${key};`;
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const config = [
    'daemon off;',
    'worker_processes 1;',
    `pid ${folder}/nginx.pid;`,
    'error_log stderr warn;',
    'events {}',
    'http {',
    'access_log off;',
    ...temporary.map((name) => `${name}_temp_path ${folder}/${name};`),
    blockOf('nginx', { ...places(site), 'listen 443 ssl;': listen }),
    '}',
  ];
  writeFileSync(join(folder, 'nginx.conf'), config.join('\n'));
  const args = ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'];
  await startProgram(stage, { file, args, listensOn: site.port });
}

/** Caddy with the site block of docs/integrate.md, and a certificate of its own authority. */
export async function startCaddy(stage: Stage, site: GuardedSite): Promise<void> {
  const [file = ''] = requireInstalled('caddy');
  const folder = openFolder(stage);
  const home = join(folder, 'home');
  mkdirSync(home);
  const global = [
    'admin off',
    'skip_install_trust',
    'default_bind 127.0.0.1',
    `https_port ${site.port}`,
    `http_port ${await freePort()}`,
    'auto_https disable_redirects',
    `storage file_system ${folder}`,
  ];
  const host = 'wiki.example.com';
  const ownSite = `${host} {`;
  const block = blockOf('caddyfile', { ...places(site), [ownSite]: `${ownSite}\n  tls internal` });
  writeFileSync(join(folder, 'Caddyfile'), `{\n${global.join('\n')}\n}\n${block}`);
  const args = ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')];
  await startProgram(stage, { file, args, listensOn: site.port, env: { HOME: home, XDG_DATA_HOME: home } });
  await hasCertificate(site.port, host);
}
