import type { Provider } from '@supabase/supabase-js'
import { type PublicAuthSettings, providerOptions } from '@/lib/auth/domain/public-auth-settings'
import { type AuthResult, askService, authResult } from './auth-result'
import { callbackAddress, finishSignIn, rememberAuthFlow } from './remember-auth-flow'
import type { SessionStore } from './session-store'

/** Leaves for the provider's page, to sign in or to link an identity; our callback route receives the answer (PKCE). */
export async function leaveForProvider(
  store: SessionStore,
  settings: PublicAuthSettings,
  input: { provider: Provider; purpose: 'sign_in' | 'link' },
): Promise<AuthResult<object>> {
  const { provider, purpose } = input
  const options = { redirectTo: callbackAddress(), ...providerOptions(settings, provider) }
  return authResult(
    rememberAuthFlow({ email: null })
      .then(() => store.client())
      .then(client =>
        purpose === 'link'
          ? client.linkIdentity({ provider, options })
          : client.signInWithOAuth({ provider, options }),
      ),
  )
}

/** Mails a six-digit code, and a link that only works in this browser. */
export async function sendEmailCode(
  store: SessionStore,
  input: { email: string; captchaToken?: string },
): Promise<AuthResult<object>> {
  const { email, captchaToken } = input
  const options = { shouldCreateUser: true, emailRedirectTo: callbackAddress(), captchaToken }
  return authResult(
    rememberAuthFlow({ email })
      .then(() => store.client())
      .then(client => client.signInWithOtp({ email, options })),
  )
}

export async function verifyEmailCode(
  store: SessionStore,
  input: { email: string; code: string },
): Promise<AuthResult<object>> {
  const verified = await askService(store, client =>
    client.verifyOtp({ email: input.email, token: input.code, type: 'email' }),
  )
  return finishSignIn(store, verified)
}

export async function signInWithPasskey(
  store: SessionStore,
  input: { captchaToken?: string },
): Promise<AuthResult<object>> {
  const options = { captchaToken: input.captchaToken }
  const signedIn = await askService(store, client => client.signInWithPasskey({ options }))
  return finishSignIn(store, signedIn)
}
