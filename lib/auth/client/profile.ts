import { type AuthResult, authResult } from './auth-result'
import { callbackAddress, rememberAuthFlow } from './remember-auth-flow'
import type { SessionStore } from './session-store'

/**
 * Changes what the account calls the person, or where it writes to. A new address counts once it is
 * confirmed, by the code or the link that is sent there; a careful service asks the old one too.
 */
export async function changeProfile(
  store: SessionStore,
  changes: { name?: string; email?: string },
): Promise<AuthResult<object>> {
  const { name, email } = changes
  // A name of our own: a provider writes its fields anew at each sign-in.
  const attributes = { email, data: name === undefined ? undefined : { display_name: name } }
  const begun = email === undefined ? Promise.resolve() : rememberAuthFlow({ email })
  return authResult(
    begun
      .then(() => store.client())
      .then(client => client.updateUser(attributes, { emailRedirectTo: callbackAddress() })),
  )
}

/**
 * By a code that was sent to the new address, or to the old one. Where both must agree, the first brings no
 * session: `halfConfirmed`.
 */
export async function confirmNewEmail(
  store: SessionStore,
  input: { newEmail: string; oldEmail: string | null; code: string },
): Promise<AuthResult<object>> {
  const verify = async (email: string) => {
    const token = { email, token: input.code, type: 'email_change' as const }
    const result = await authResult(store.client().then(client => client.verifyOtp(token)))
    return result.error === null && !result.data.session ? { data: null, error: 'halfConfirmed' } : result
  }
  let result = await verify(input.newEmail)
  if (result.error === 'codeExpired' && input.oldEmail !== null) result = await verify(input.oldEmail)
  await store.refreshUser()
  return result
}
