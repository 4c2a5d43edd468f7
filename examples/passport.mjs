import { createHash, randomBytes } from 'node:crypto';
import express from 'express';
import session from 'express-session';
import passport from 'passport';
import OpenIDConnectStrategy from 'passport-openidconnect';

const { ISSUER = 'http://localhost:3000', CLIENT_ID, CLIENT_SECRET, SESSION_SECRET, PORT = '4000' } = process.env;
const origin = process.env.ORIGIN ?? `http://localhost:${PORT}`;

/** The library itself sends no PKCE challenge. */
class WithPkce extends OpenIDConnectStrategy {
  authenticate(request, options) {
    // Passport creates a strategy object for each request, so these changes apply to this request only.
    if (request.query.code) {
      const [oauth2, { verifier }] = [this._oauth2, request.session];
      this._oauth2 = Object.create(oauth2, {
        getOAuthAccessToken: {
          value: (code, parameters, done) =>
            oauth2.getOAuthAccessToken(code, { ...parameters, code_verifier: verifier }, done),
        },
      });
    } else {
      const verifier = randomBytes(32).toString('base64url');
      request.session.verifier = verifier;
      const code_challenge = createHash('sha256').update(verifier).digest('base64url');
      this.authorizationParams = () => ({ code_challenge, code_challenge_method: 'S256' });
    }
    super.authenticate(request, options);
  }
}

const vestibule = {
  issuer: ISSUER,
  authorizationURL: `${ISSUER}/oidc/auth`,
  tokenURL: `${ISSUER}/oidc/token`,
  userInfoURL: `${ISSUER}/oidc/me`,
  clientID: CLIENT_ID,
  clientSecret: CLIENT_SECRET,
  callbackURL: `${origin}/signed-in`,
  scope: 'profile email groups',
  nonce: true,
};
// The library requests the userinfo endpoint only for a function with all nine parameters.
passport.use(
  'vestibule',
  new WithPkce(vestibule, (_issuer, profile, _claims, _context, idToken, _access, _refresh, _parameters, done) =>
    done(null, { person: profile._json, idToken }),
  ),
);
passport.serializeUser((user, done) => done(null, user));
passport.deserializeUser((user, done) => done(null, user));

const app = express();
app.set('trust proxy', 'loopback');
const cookie = { httpOnly: true, sameSite: 'lax', secure: origin.startsWith('https:') };
// Pass a `store` of your database in production.
app.use(session({ secret: SESSION_SECRET, resave: false, saveUninitialized: false, cookie }));
app.use(passport.session());

app.get('/', (request, response) => {
  const { person } = request.user ?? {};
  if (!person) return response.redirect('/sign-in');
  return response.type('text').send(`Hello, ${person.name} (${person.sub})\n`);
});

app.get('/sign-in', passport.authenticate('vestibule'));
app.get('/signed-in', passport.authenticate('vestibule', { successRedirect: '/', failureRedirect: '/sign-in' }));

app.get('/sign-out', (request, response, next) => {
  const { idToken } = request.user ?? {};
  const hint = new URLSearchParams({ id_token_hint: idToken, post_logout_redirect_uri: `${origin}/` });
  request.logout((error) =>
    error ? next(error) : response.redirect(idToken ? `${ISSUER}/oidc/end-session?${hint}` : '/'),
  );
});

app.listen(Number(PORT), '127.0.0.1', () => console.log(`Open ${origin}/`));
