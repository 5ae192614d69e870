import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { chatAddress, conversationIdOf, isChatAddress } from './chat-address'
import { routing } from './routing'

test('every id comes back from its address, in every language, and is one segment of it', () => {
  const languages = fc.constantFrom('', ...routing.locales.map(locale => `/${locale}`))
  fc.assert(
    fc.property(languages, fc.string({ unit: 'grapheme', minLength: 1 }), (language, id) => {
      const address = chatAddress(`${language}/pricing`, id)
      expect(address.split('/')).toHaveLength(language === '' ? 3 : 4)
      expect(conversationIdOf(address)).toBe(id)
      expect(isChatAddress(address)).toBe(true)
      expect(chatAddress(address, null)).toBe(language || '/')
    }),
  )
})

test.each(['100%', '%25', '%2525', '%41', '%%'])(
  'the address of %j can be decoded twice, as Next does',
  id => {
    const address = chatAddress('/', id)
    expect(() => decodeURIComponent(decodeURIComponent(address))).not.toThrow()
    expect(conversationIdOf(address)).toBe(id)
  },
)

test.each(['.', '..', '=.', '=..', '...'])('the address of %j is no folder', id => {
  const address = chatAddress('/de', id)
  expect(new URL(address, 'https://tuppence.example').pathname).toBe(address)
  expect(conversationIdOf(address)).toBe(id)
})

describe('an address', () => {
  test.each(['/', '/de', '/de/', '/c/a', '/fr/c/a/'])('%s is the chat', pathname => {
    expect(isChatAddress(pathname)).toBe(true)
  })

  test.each(['/c', '/c/', '/c/a/b', '/account', '/de/c', '/xx/c/a', '/chat'])('%s is not', pathname => {
    expect(isChatAddress(pathname)).toBe(false)
    expect(conversationIdOf(pathname)).toBeNull()
  })

  test('that is no valid encoding names a conversation that nobody has', () => {
    expect(conversationIdOf('/c/%E0%A4')).toBe('%E0%A4')
  })
})
