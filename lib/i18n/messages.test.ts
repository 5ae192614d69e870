import { readdirSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { createTranslator } from 'next-intl'
import { API_ERROR_CODES } from '@/lib/http/domain/error-codes'
import { en, messagesIn } from '@/test/support/messages'
import { routing } from './routing'

const FOLDER = new URL('../../messages/', import.meta.url)

/** `{"a": {"b": "text"}}` as `[["a.b", "text"]]`. */
function flatten(value: unknown, path = ''): [string, string][] {
  if (typeof value === 'string') return [[path, value]]
  if (typeof value !== 'object' || value === null) throw new Error(`not a message: ${path}`)
  return Object.entries(value).flatMap(([key, child]) => flatten(child, path ? `${path}.${key}` : key))
}

function exampleValues(message: string): Record<string, unknown> {
  return Object.fromEntries(
    messageArguments(message).map(argument => {
      const [name = '', kind] = argument.split(':')
      return [name, kind === 'tag' ? (chunks: unknown) => chunks : 3]
    }),
  )
}

/**
 * The names of an ICU message's arguments and tags, each with its kind: `count:plural`, `link:tag`. Braces alternate:
 * within a message they open an argument, and within an argument they open a branch that is a message again.
 */
function messageArguments(message: string): string[] {
  const found = new Set([...message.matchAll(/<(\w+)>/g)].map(([, tag]) => `${tag}:tag`))
  const stack: ('message' | 'argument')[] = ['message']
  for (let index = 0; index < message.length; index += 1) {
    const character = message[index]
    if (character === '}') stack.pop()
    if (character !== '{') continue
    if (stack.at(-1) === 'argument') {
      stack.push('message')
      continue
    }
    const [, name, kind = 'text'] = /^\{\s*(\w+)\s*(?:,\s*(\w+))?/.exec(message.slice(index)) ?? []
    found.add(`${name}:${kind}`)
    stack.push('argument')
  }
  return [...found].sort()
}

const english = new Map(flatten(en))

describe('arguments of a message', () => {
  test.each([
    ['plain text', []],
    ['{amount} added', ['amount:text']],
    ['{count, plural, one {# of {model}} other {messages}}', ['count:plural', 'model:text']],
    ['{count, number} tokens', ['count:number']],
    ['<link>Add {amount}</link> to start', ['amount:text', 'link:tag']],
  ])('of %j are %j', (message, names) => {
    expect(messageArguments(message)).toEqual(names)
  })
})

test('there are messages in the languages of the routing, and in no other', () => {
  const files = readdirSync(FOLDER).filter(name => !name.endsWith('.d.json.ts'))
  expect(files.sort()).toEqual(routing.locales.map(locale => `${locale}.json`).sort())
})

describe.each(routing.locales)('the messages in %s', locale => {
  const messages = messagesIn(locale)
  const own = new Map(flatten(messages))

  test('have exactly the keys of the English ones', () => {
    expect([...own.keys()].sort()).toEqual([...english.keys()].sort())
  })

  test('take the same arguments', () => {
    const differing = [...english].filter(
      ([key, message]) => messageArguments(own.get(key) ?? '').join() !== messageArguments(message).join(),
    )
    expect(differing).toEqual([])
  })

  test('let no line end between a number and its unit', () => {
    expect([...own].filter(([, message]) => /\} (%|MB|Mo|s)(?!\p{L})/u.test(message))).toEqual([])
  })

  test('are never empty', () => {
    expect([...own].filter(([, message]) => message.trim() === '')).toEqual([])
  })

  test('are well-formed', () => {
    const failures: string[] = []
    const translate = createTranslator({
      locale,
      messages,
      onError: error => failures.push(error.message),
    })
    for (const [key, message] of own) {
      Reflect.apply(translate.rich, undefined, [key, exampleValues(message)])
    }
    expect(failures).toEqual([])
  })

  test('have a sentence for every error code', () => {
    expect(API_ERROR_CODES.filter(code => !(code in messages.errors))).toEqual([])
  })

  test('name a heading as it is called where it stands', () => {
    expect(messages.yourData.creditKept).toContain(messages.carry.restoreTitle)
    expect(messages.storage.setAside).toContain(messages.account.yourData)
    expect(messages.chat.unknownConversation.text).toContain(messages.account.yourData)
    expect(messages.chat.offline).toContain(messages.chat.stop)
  })

  test('call what reloads the page otherwise than what stands beside it and leads to a payment', () => {
    expect(messages.shell.reload).not.toBe(messages.shell.topUp)
  })
})

test('no line of the French begins with a punctuation mark, or ends with an opening one', () => {
  expect(flatten(messagesIn('fr')).filter(([, message]) => / [:;?!»]|« /.test(message))).toEqual([])
})

/** Words that a language has another term for, or spells differently, everywhere else. */
const STRAY_WORDS = [
  [
    'es',
    /\bcentavos?\b|\bwallets?\b|\bborr(?!ador)|\bclave API\b|\b[Nn]o se pud|\bcomprobante\b|\bmétodo\b|, el archivo,/,
  ],
  ['de', /\bTokens\b|[a-zäöü]…|\b[Vv]ersuche es\b|\b[Gg]renze\b|sinkt unter|\b(hinein|heraus)\b|\bgesetzt\b/],
  [
    'fr',
    /\btokens?\b|\bdiscussions?\b|(?<![é{])\bcents\b|\bclé API\b|\b[Ii]nstructions?\b|\ben sûreté\b|[Rr]écupérez (un|votre) crédit|\bRechercher\b|\beffacer\b|\brepéré\b/,
  ],
  [
    'it',
    /\bwallet\b|[«»]|\bchiave di credito\b|\bingresso\b|\bmodo di pagamento\b|[Rr]ecupera (un|il) credito|\bdisattivi\b|\bofferto\b|\bcancellare\b/,
  ],
] as const

test.each(STRAY_WORDS)('one thing has one word in %s', (locale, stray) => {
  expect(flatten(messagesIn(locale)).filter(([, message]) => stray.test(message))).toEqual([])
})

/**
 * These forms are for several. Most people start with one dollar, and French counts nothing and a dollar fifty as one,
 * too.
 */
test.each([
  ['fr', /\{(amount|used|rest|price)\}( \p{L}+)* s?ont |\{(amount|used|rest)\} \p{L}+(és|ants)\b/u],
  [
    'es',
    /\{(amount|used|rest|price)\}( \p{L}+)* (fueron|han) |\{(amount|used|rest)\} \p{L}+[aei]dos\b|(rán|ron|quedan|añaden|añadido) \{(amount|add|balance)\}/u,
  ],
  [
    'it',
    /\{(amount|used|rest|price)\}( \p{L}+)* (sono|\p{L}+nno) |\{(amount|used|rest)\} \p{L}+[aei]ti\b|restano \{balance\}/u,
  ],
] as const)('an amount is called no plural in %s', (locale, plural) => {
  expect(flatten(messagesIn(locale)).filter(([, message]) => plural.test(message))).toEqual([])
})

/**
 * These forms are only right before some days, months and hours: it is « d’avril », « l’8 marzo », «la 1:05». And a time
 * that is left is no hour: «Paga en 14:58» would be one.
 */
test.each([
  ['fr', /\b[dD]e \{month\}/],
  ['es', /\b(las|en) \{time\}/],
  ['it', /\b(il|al|dal|del) \{(date|first|last)\}|\b(alle|entro) \{time\}/],
] as const)('a date follows no word that would change with it in %s', (locale, word) => {
  expect(flatten(messagesIn(locale)).filter(([, message]) => word.test(message))).toEqual([])
})

/** «Désactivé, vous avez dix secondes»: that would be said of the person, or of the chat, instead of the switch. */
test.each([
  ['de', /^Ausgeschaltet /],
  ['fr', /^Désactivé, /],
] as const)('only the switch is said to be off in %s', (locale, dangling) => {
  expect(flatten(messagesIn(locale)).filter(([, message]) => dangling.test(message))).toEqual([])
})

/** «Quand le solde passe sous, en dollars»: what it is compared with is in the field, so the label needs a word for it. */
test.each([
  ['fr', /\bpasse sous,/],
  ['es', /\bbaje de,/],
  ['it', /\bscende sotto,/],
] as const)('a balance falls below an amount, not below a comma, in %s', (locale, preposition) => {
  expect(flatten(messagesIn(locale)).filter(([, message]) => preposition.test(message))).toEqual([])
})
