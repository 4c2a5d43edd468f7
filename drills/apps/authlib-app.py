# An application with a login, and an API, that use Authlib. PORT, ISSUER, CLIENT_ID and CLIENT_SECRET come from the
# environment; verify.py is the block of docs/integrate.md.
import json
import os
import secrets
from http.cookies import SimpleCookie
from urllib.parse import parse_qs
from wsgiref.simple_server import make_server

import requests
from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import JsonWebKey, JsonWebToken
from authlib.oidc.core import CodeIDToken
from verify import verify

issuer, client_id = os.environ['ISSUER'], os.environ['CLIENT_ID']
port, secret = int(os.environ['PORT']), os.environ['CLIENT_SECRET']
origin = f'http://localhost:{port}'
metadata = requests.get(f'{issuer}/.well-known/openid-configuration', timeout=5).json()
keys = JsonWebKey.import_key_set(requests.get(metadata['jwks_uri'], timeout=5).json())
sessions = {}


def library():
    return OAuth2Session(
        client_id,
        secret,
        scope='openid profile groups',
        redirect_uri=f'{origin}/callback',
        code_challenge_method='S256',
    )


def begin(pending):
    nonce, verifier = secrets.token_urlsafe(), secrets.token_urlsafe(48)
    url, state = library().create_authorization_url(
        metadata['authorization_endpoint'], code_verifier=verifier, nonce=nonce, resource='https://api.example.com'
    )
    pending.update(nonce=nonce, verifier=verifier, state=state)
    return '302 Found', [('Location', url)], {}


def finish(pending, uri):
    client = library()
    client.state = pending.pop('state')
    tokens = client.fetch_token(
        metadata['token_endpoint'],
        authorization_response=uri,
        code_verifier=pending.pop('verifier'),
        resource='https://api.example.com',
    )
    claims = JsonWebToken(['ES256']).decode(
        tokens['id_token'],
        keys,
        claims_cls=CodeIDToken,
        claims_options={'iss': {'value': issuer}, 'aud': {'value': client_id}},
        claims_params={'nonce': pending.pop('nonce'), 'client_id': client_id},
    )
    claims.validate()
    pending.update(claims=dict(claims), access_token=tokens['access_token'])
    return '302 Found', [('Location', '/')], {}


def end(body):
    token = parse_qs(body)['logout_token'][0]
    claims = JsonWebToken(['ES256']).decode(token, keys)
    if claims['iss'] != issuer or claims['aud'] != client_id or claims.header['typ'] != 'logout+jwt':
        return '400 Bad Request', [], {}
    for session in list(sessions.values()):
        if session.get('claims', {}).get('sid') == claims['sid']:
            session.clear()
    return '200 OK', [], {}


def api(authorization):
    try:
        return '200 OK', [], {'account': verify(authorization.removeprefix('Bearer '))}
    except Exception:
        return '401 Unauthorized', [], {}


def respond(environ):
    path = environ['PATH_INFO']
    if path == '/api':
        return api(environ.get('HTTP_AUTHORIZATION', ''))
    if path == '/logout':
        return end(environ['wsgi.input'].read(int(environ['CONTENT_LENGTH'])).decode())
    cookie = SimpleCookie(environ.get('HTTP_COOKIE', '')).get('app')
    session_id = cookie.value if cookie and cookie.value in sessions else secrets.token_urlsafe()
    session = sessions.setdefault(session_id, {})
    if path == '/callback' and 'state' in session:
        status, headers, body = finish(session, f'{origin}/callback?{environ["QUERY_STRING"]}')
    elif 'claims' in session:
        status, headers, body = '200 OK', [], session
    elif 'text/html' in environ.get('HTTP_ACCEPT', ''):
        status, headers, body = begin(session)
    else:
        status, headers, body = '401 Unauthorized', [], {}
    return status, [*headers, ('Set-Cookie', f'app={session_id}; Path=/; HttpOnly; SameSite=Lax')], body


def application(environ, start_response):
    status, headers, body = respond(environ)
    start_response(status, [*headers, ('Content-Type', 'application/json')])
    return [json.dumps(body).encode()]


make_server('127.0.0.1', port, application).serve_forever()
