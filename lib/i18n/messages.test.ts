import { describe, expect, test } from '@jest/globals'
import { createTranslator } from 'next-intl'
import { API_ERROR_CODES } from '@/lib/http/api-error'
import de from '@/messages/de.json'
import en from '@/messages/en.json'
import es from '@/messages/es.json'
import fr from '@/messages/fr.json'
import it from '@/messages/it.json'
import { messageArguments } from './message-arguments'
import { routing } from './routing'

const TRANSLATIONS = { en, es, de, fr, it }
const translated = Object.entries(TRANSLATIONS).filter(([locale]) => locale !== 'en')

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

describe.each(translated)('the messages in %s', (locale, messages) => {
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

  test('are never empty', () => {
    expect([...own].filter(([, message]) => message.trim() === '')).toEqual([])
  })

  test('are for a language of the routing', () => {
    expect(routing.locales).toContain(locale)
  })
})

describe('every message', () => {
  test.each(routing.locales)('in %s is well-formed', locale => {
    const failures: string[] = []
    const translate = createTranslator({
      locale,
      messages: TRANSLATIONS[locale],
      onError: error => failures.push(error.message),
    })
    for (const [key, message] of flatten(TRANSLATIONS[locale])) {
      Reflect.apply(translate.rich, undefined, [key, exampleValues(message)])
    }
    expect(failures).toEqual([])
  })
})

describe('error codes', () => {
  test.each(Object.entries(TRANSLATIONS))('all have a sentence in %s', (_locale, { errors }) => {
    expect(API_ERROR_CODES.filter(code => !(code in errors))).toEqual([])
  })
})
