import { describe, expect, test } from '@jest/globals'
import { frameSandbox } from './foreign-frame'

describe('the sandbox of the frame', () => {
  test.each(['https://tuppence.test/widget', 'https://tuppence.test:443/x'])(
    'gives %s, which is our own origin, none of our storage',
    address => {
      expect(frameSandbox(address, 'https://tuppence.test').split(' ')).not.toContain('allow-same-origin')
    },
  )

  test('lets another origin keep its own', () => {
    expect(frameSandbox('https://help.test/widget', 'https://tuppence.test').split(' ')).toContain(
      'allow-same-origin',
    )
  })

  test('never lets a frame lead the page away or open a dialog over it', () => {
    expect(frameSandbox('https://help.test', 'https://tuppence.test')).not.toMatch(
      /top-navigation|modals|downloads/,
    )
  })
})
