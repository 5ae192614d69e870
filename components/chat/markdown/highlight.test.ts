import { describe, expect, test } from '@jest/globals'
import { highlightCode } from './highlight'

describe('coloured code', () => {
  test.each([
    ['typescript', 'const a: string = "<b>" // & more\nclass B<T> extends C {}'],
    ['html', '<p class="a">x</p><script>let a = 1</script><style>p { color: red }</style>'],
    ['php', '<h1><?php echo "a"; ?></h1>'],
    ['py', 'def f(x: int) -> str:\n    return f"{x}"'],
    ['sh', 'echo "$HOME" | grep -c x'],
  ])('of %s loses and adds no letter', (language, code) => {
    const spans = highlightCode(code, language)
    expect(spans?.map(({ text }) => text).join('')).toBe(code)
    expect(spans?.some(({ scope }) => scope !== null)).toBe(true)
  })

  test('of an unknown language stays plain', () => {
    expect(highlightCode('x', 'no-such-language')).toBeNull()
    expect(highlightCode('x', '__proto__')).toBeNull()
  })
})
