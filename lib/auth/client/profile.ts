import { type AuthResult, askService, authResult } from './auth-result'
import { callbackAddress, finishSignIn, rememberAuthFlow } from './remember-auth-flow'
import type { SessionStore } from './session-store'

/**
 * Changes the person's name or e-mail address. A new address takes effect once it is confirmed with the code or link
 * sent to it; depending on its settings, the service also asks the old one.
 */
export async function changeProfile(
  store: SessionStore,
  changes: { name?: string; email?: string },
): Promise<AuthResult<object>> {
  const { name, email } = changes
  // A field of our own, because providers overwrite theirs at each sign-in.
  const attributes = { email, data: name === undefined ? undefined : { display_name: name } }
  const begun = email === undefined ? Promise.resolve() : rememberAuthFlow({ email })
  return authResult(
    begun
      .then(() => store.client())
      .then(client => client.updateUser(attributes, { emailRedirectTo: callbackAddress() })),
  )
}

/**
 * Confirms with a code that was sent to the new address, or to the old one. If both have to confirm, the first code
 * brings no session: `halfConfirmed`.
 */
export async function confirmNewEmail(
  store: SessionStore,
  input: { newEmail: string; oldEmail: string | null; code: string },
): Promise<AuthResult<object>> {
  const verify = async (email: string) => {
    const token = { email, token: input.code, type: 'email_change' as const }
    const result = await askService(store, client => client.verifyOtp(token))
    return result.error === null && !result.data.session ? { data: null, error: 'halfConfirmed' } : result
  }
  let result = await verify(input.newEmail)
  if (result.error === 'codeExpired' && input.oldEmail !== null) result = await verify(input.oldEmail)
  await store.refreshUser()
  return finishSignIn(store, result)
}
