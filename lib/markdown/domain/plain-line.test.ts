import { expect, test } from '@jest/globals'
import { plainLine } from './plain-line'

test('code loses the marks around it, and an open run of them stays', () => {
  expect(plainLine('a `b` and ``c`` ```d')).toBe('a b and c ```d')
})

test('a line of nothing but marks of code is read once', () => {
  const text = `a ${'`'.repeat(400_000)}`
  expect(plainLine(text)).toBe(text)
})
