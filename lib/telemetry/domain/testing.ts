import fc from 'fast-check'

const base64url = (length: number) =>
  fc
    .uint8Array({ minLength: length, maxLength: length })
    .map(bytes => Buffer.from(bytes).toString('base64url'))
const hex = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map(bytes => Buffer.from(bytes).toString('hex'))
/** Real word lists are not needed, only words of the same form. */
const word = fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'), minLength: 3, maxLength: 8 })

/** A secret as it may appear in a text, and the part of it that must be removed. */
export interface SecretInText {
  text: string
  secret: string
}

const itself = (text: string): SecretInText => ({ text, secret: text })

/** Every form in which something secret or personal can appear in this product. */
export const SECRET_FORMS: Record<string, fc.Arbitrary<SecretInText>> = {
  'a credit_id': fc.uuid({ version: 4 }).map(uuid => ({ text: uuid, secret: uuid.slice(9) })),
  'a credit_id in capitals': fc
    .uuid({ version: 4 })
    .map(uuid => ({ text: uuid.toUpperCase(), secret: uuid.toUpperCase().slice(9) })),
  'a credit_id without dashes': hex(16).map(digits => ({ text: digits, secret: digits.slice(8) })),
  'a credit_id with encoded dashes': fc
    .uuid()
    .map(uuid => ({ text: uuid.replaceAll('-', '%2D'), secret: uuid.slice(24) })),
  'an API key': base64url(24).map(key => itself(`sk-${key}`)),
  'a refill token': base64url(24).map(token => itself(`rf-${token}`)),
  'a refill link': base64url(24).map(token => ({
    text: `https://tuppence.test/refill#rf-${token}`,
    secret: token,
  })),
  'a resume key as a header': base64url(32).map(key => ({ text: `x-resume-key: ${key}`, secret: key })),
  'a JSON Web Token': fc
    .tuple(base64url(40), base64url(32))
    .map(([claims, signature]) => itself(`eyJhbGciOiJFUzI1NiJ9.${claims}.${signature}`)),
  'an e-mail address': fc.emailAddress().map(itself),
  'a bearer header': hex(6).map(token => ({ text: `Authorization: Bearer ${token}`, secret: token })),
  'a bearer header in JSON': hex(6).map(token => ({
    text: `{"authorization":"Bearer ${token}"}`,
    secret: token,
  })),
  'a key header in JSON': hex(6).map(token => ({ text: `{"x-api-key":"${token}"}`, secret: token })),
  'a cookie': hex(6).map(token => ({ text: `Cookie: theme=dark; session=${token}`, secret: token })),
  'a field of a form': hex(6).map(token => ({ text: `credit_id=${token}`, secret: token })),
  'a query': hex(6).map(token => ({ text: `https://tuppence.test/top-up?back=${token}&x=1`, secret: token })),
  'a query of a path': hex(6).map(token => ({ text: `/topup/x?state=${token}`, secret: token })),
  'a wallet connection': fc.tuple(hex(32), hex(32)).map(([wallet, secret]) => ({
    text: `nostr+walletconnect://${wallet}?relay=wss://relay.test&secret=${secret}`,
    secret,
  })),
  'a database address': hex(6).map(password => ({
    text: `postgres://owner:${password}@db.test:6543/postgres`,
    secret: password,
  })),
  'a web address with a password': hex(6).map(password => ({
    text: `https://owner:${password}@host.test/path`,
    secret: password,
  })),
  'a Lightning invoice': base64url(60).map(bytes =>
    itself(`lnbc10u1p${bytes.toLowerCase().replace(/[_-]/g, '0')}`),
  ),
  'a Stripe key': base64url(18).map(key => itself(`sk_live_${key}`)),
  'a webhook secret': base64url(18).map(key => itself(`whsec_${key}`)),
  'the twelve words of a backup': fc
    .array(word, { minLength: 12, maxLength: 12 })
    .map(words => ({ text: words.join(' '), secret: words.slice(4).join(' ') })),
  'a hash': hex(32).map(itself),
  'what a JSON error quotes': fc
    .string({ unit: fc.constantFrom(...'abcdef ghij'), minLength: 8, maxLength: 10 })
    .map(words => ({
      text: `Unexpected token 'x', "{"said": "${words}"... is not valid JSON`,
      secret: words,
    })),
}
