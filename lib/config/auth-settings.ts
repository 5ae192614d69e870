import { baseUrl, type Environment, headerSecret, readGroup, readOne, readVariable, url } from './read-group'
import { SettingsError } from './settings-error'

/** Every visitor gets it, so one that opens the database to its holder must not be mistaken for it. */
const publicKey = headerSecret.refine(
  key => !isSecretKey(key),
  'this is a secret key, but every visitor gets it: expected the publishable key (or the older anon key)',
)

/** `sb_secret_…`, or the older token of the role that row level security does not apply to. */
function isSecretKey(key: string): boolean {
  const payload = Buffer.from(key.split('.')[1] ?? '', 'base64url').toString('utf8')
  return key.startsWith('sb_secret_') || payload.includes('"service_role"')
}

/** Supabase's pages also show addresses of parts of a project. */
const projectUrl = baseUrl.superRefine((address, context) => {
  const [path] = /\/(?:auth|rest|storage)\/v1$/.exec(address) ?? []
  if (path)
    context.addIssue({ code: 'custom', message: `expected the address of the project, without ${path}` })
})

/** Both names of the public key are accepted; the URL must be http or https. */
export function readSupabase(environment: Environment) {
  const keyName =
    readVariable(environment, 'NEXT_PUBLIC_SUPABASE_PUBLISHABLE_KEY') === undefined &&
    readVariable(environment, 'NEXT_PUBLIC_SUPABASE_ANON_KEY') !== undefined
      ? 'NEXT_PUBLIC_SUPABASE_ANON_KEY'
      : 'NEXT_PUBLIC_SUPABASE_PUBLISHABLE_KEY'
  const group = readGroup(environment, {
    name: 'Supabase',
    shape: { NEXT_PUBLIC_SUPABASE_URL: projectUrl, [keyName]: publicKey },
  })
  // Checked also while sign-in is off: a malformed one would only show once it is turned on.
  const captchaFrameUrl = readOne(environment, 'AUTH_CAPTCHA_FRAME_URL', url) ?? undefined
  const providerParameters = readProviderParameters(environment)
  return (
    group && {
      url: String(group.NEXT_PUBLIC_SUPABASE_URL),
      publicKey: String(group[keyName]),
      googleClientId: readVariable(environment, 'GOOGLE_CLIENT_ID'),
      captchaFrameUrl,
      providerParameters,
    }
  )
}

/** Parameters that we set ourselves: overriding one would keep people from returning from the provider. */
const OWN_PARAMETERS = [
  'provider',
  'redirect_to',
  'code_challenge',
  'code_challenge_method',
  'skip_http_redirect',
]

/**
 * `google?prompt=select_account azure?scopes=email+offline_access`: providers with a query each, separated by spaces.
 */
function readProviderParameters(
  environment: Environment,
): Record<string, Record<string, string>> | undefined {
  const text = readVariable(environment, 'AUTH_PROVIDER_PARAMETERS')
  return text === undefined ? undefined : Object.fromEntries(text.split(/\s+/).map(readProvider))
}

function readProvider(entry: string): [string, Record<string, string>] {
  const [, provider, query] = /^([a-z][a-z0-9_]*)\?(.+)$/.exec(entry) ?? []
  const parameters = [...new URLSearchParams(query)]
  const isValid = parameters.every(([name, value]) => value !== '' && !OWN_PARAMETERS.includes(name))
  if (provider !== undefined && isValid) return [provider, Object.fromEntries(parameters)]
  throw new SettingsError(
    `AUTH_PROVIDER_PARAMETERS is not valid at "${entry}": expected a provider with further parameters or scopes, such as google?prompt=select_account&scopes=email+profile.`,
  )
}

/**
 * The keys that seal linked credits (lib/auth/README.md), separated by commas: the first one seals and all of them
 * open, so that a key can be replaced. Without any, credits cannot be linked to an account.
 */
export function readLinkEncryptionKeys(environment: Environment): string[] {
  const keys = (readVariable(environment, 'LINK_ENCRYPTION_KEY') ?? '').split(',').map(key => key.trim())
  if (keys.length === 1 && keys[0] === '') return []
  if (keys.every(key => key.length >= 32)) return keys
  throw new SettingsError('LINK_ENCRYPTION_KEY is not valid: expected at least 32 characters.')
}
