import { expect, test } from '@jest/globals'
import { messageTitle } from './conversation-text'

const titleOf = (content: string) =>
  messageTitle({ id: 'm', role: 'user', content, created_at: '2026-01-02T03:04:05Z' })

test.each([
  ['# A **bold** question\n\nabout `map`', 'A bold question about map'],
  ['- one\n- _two_', 'one two'],
  ['What does `__init__` do in *this* class?', 'What does __init__ do in this class?'],
  ['2 * 3 * 4, snake_case and #1', '2 * 3 * 4, snake_case and #1'],
  ['2*3*4=? And 2**3**2?', '2*3*4=? And 2**3**2?'],
  ['```js\nlet a = 1\n```\n\nWhy?', 'let a = 1 Why?'],
  ['---', '---'],
  [`**${'a'.repeat(90)}**`, `${'a'.repeat(80)}…`],
  [`${'a'.repeat(79)}😀 and more`, `${'a'.repeat(79)}…`],
  ['', ''],
])('the title of %j is %j', (content, title) => {
  expect(titleOf(content)).toBe(title)
})
