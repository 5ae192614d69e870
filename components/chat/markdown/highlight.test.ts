import { describe, expect, test } from '@jest/globals'
import { highlightCode } from './highlight'

describe('highlighted code', () => {
  test.each([
    ['typescript', 'const a: string = "<b>" // & more\nclass B<T> extends C {}'],
    ['html', '<p class="a">x</p><script>let a = 1</script><style>p { color: red }</style>'],
    ['php', '<h1><?php echo "a"; ?></h1>'],
    ['py', 'def f(x: int) -> str:\n    return f"{x}"'],
    ['sh', 'echo "$HOME" | grep -c x'],
  ])('in %s keeps every character', (language, code) => {
    const spans = highlightCode(code, language)
    expect(spans?.map(({ text }) => text).join('')).toBe(code)
    expect(spans?.some(({ scope }) => scope !== null)).toBe(true)
  })

  test.each([
    ['java', '$'.repeat(16_000)],
    ['java', 'é0'.repeat(8_000)],
    ['ts', 'a'.repeat(400)],
    ['xml', `<!--${' '.repeat(16_000)}`],
    ['csharp', `#.${'\n'.repeat(16_000)}`],
    ['csharp', 'public '.repeat(2_000)],
    ['csharp', 'a\n'.repeat(8_000)],
  ])('in %s stays plain if its grammar would take seconds', (language, code) => {
    expect(highlightCode(code, language)).toBeNull()
  })

  test('includes long comments with long words', () => {
    const comment = `/* ${'so many words in a row, '.repeat(100)} ${'='.repeat(500)} ${'a'.repeat(300)} */`
    expect(highlightCode(comment, 'csharp')?.[0]?.scope).toBe('comment')
  })

  test('in an unknown language stays plain', () => {
    expect(highlightCode('x', 'no-such-language')).toBeNull()
    expect(highlightCode('x', '__proto__')).toBeNull()
  })
})
