/** A setting's, or what a person holds. */
export type SecretName =
  | Uppercase<string>
  | 'credit_id'
  | 'API key'
  | 'refill token'
  | 'access token'
  | 'refresh token'
  | 'email'
  | 'wallet'
  | 'passphrase'

export interface Secrets {
  add(name: SecretName, value: string): void
  /** The names of the secrets in a text, however they are written there, except those that may be there. */
  leaksIn(text: string, allowed?: readonly SecretName[]): SecretName[]
  values(): readonly string[]
}

/** Shorter ones would be found by chance. */
const LENGTH_MIN = 8

/** The secrets of a test, to be searched for wherever they must not be. */
export function createSecrets(): Secrets {
  const secrets: { name: SecretName; value: string; forms: readonly string[] }[] = []
  return {
    add(name, value) {
      if (value.length < LENGTH_MIN) throw new Error(`${name} is too short to be searched for.`)
      secrets.push({ name, value, forms: formsOf(value).map(form => form.toLowerCase()) })
    },
    leaksIn(text, allowed = []) {
      const searched = text.toLowerCase()
      return secrets
        .filter(({ name, forms }) => !allowed.includes(name) && forms.some(form => searched.includes(form)))
        .map(({ name }) => name)
    },
    values: () => secrets.map(({ value }) => value),
  }
}

function formsOf(value: string): string[] {
  const bytes = Buffer.from(value)
  const isUuid = /^[0-9a-f]{8}-/.test(value)
  return [
    value,
    encodeURIComponent(value),
    JSON.stringify(value).slice(1, -1),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    ...(isUuid ? [value.replaceAll('-', '')] : []),
  ]
}
