import { describe, expect, test } from '@jest/globals'
import { frameSandbox } from './foreign-frame'

describe('the sandbox of the frame', () => {
  test.each(['https://tuppence.test/widget', 'https://tuppence.test:443/x'])(
    'does not allow %s, which has our own origin, to use our storage',
    address => {
      expect(frameSandbox(address, 'https://tuppence.test').split(' ')).not.toContain('allow-same-origin')
    },
  )

  test('allows another origin to use its own storage', () => {
    expect(frameSandbox('https://help.test/widget', 'https://tuppence.test').split(' ')).toContain(
      'allow-same-origin',
    )
  })

  test('never allows a frame to navigate the page, open dialogs or download', () => {
    expect(frameSandbox('https://help.test', 'https://tuppence.test')).not.toMatch(
      /top-navigation|modals|downloads/,
    )
  })
})
