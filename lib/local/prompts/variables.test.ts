import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { fillIn, variablesOf } from './variables'

const NOTHING = new Map<string, string>()
const names = (content: string) => variablesOf(content).map(({ name }) => name)
const only = (content: string) => variablesOf(content)[0]

/** The parts of a notation, in any order. */
const pieces = fc
  .array(
    fc.constantFrom(
      '{{',
      '}}',
      '\u0024{',
      '}',
      '|',
      ':',
      'name',
      ' ',
      '"',
      '[',
      ']',
      'select:options=',
      '\\',
      'é',
      '\n',
    ),
    { maxLength: 40 },
  )
  .map(parts => parts.join(''))

describe('the variables of a prompt', () => {
  test('are found once each in both notations, but not in plain brackets', () => {
    const content = 'For {{ who }} in \u0024{City:Rome}, about [topic], to {{who}} and {{Straße 2}}'
    expect(names(content)).toEqual(['who', 'City', 'Straße 2'])
    expect(only('\u0024{City: Rome }')).toMatchObject({ type: 'text', defaultText: 'Rome' })
  })

  test.each([
    ['{{Sprache:Englisch}}', 'Sprache', 'Englisch'],
    ['{{ Sprache : Englisch }}', 'Sprache', 'Englisch'],
    ['{{target language: Brazilian Portuguese}}', 'target language', 'Brazilian Portuguese'],
    ['{{when:12:30}}', 'when', '12:30'],
    ['{{a:}}', 'a', ''],
  ])('%j has the text after the colon as its default', (content, name, defaultText) => {
    expect(variablesOf(content)).toMatchObject([{ name, defaultText, type: 'text', isRequired: false }])
    expect(fillIn(`In ${content}.`, new Map([[name, 'x']]))).toBe('In x.')
    expect(fillIn(`In ${content}.`, NOTHING)).toBe('In .')
  })

  test.each([
    '{{}}',
    "<p style={{color: 'red'}}>",
    '{{a:b',
    '{{a:b\n}}',
    '{{a:{b}}',
    '{{a:b}',
    '{{ }}',
    '{{#if a}}',
    '{name}',
    '\u0024{a{b}',
    '{{a\nb',
    '{{a|',
    '\u0024{}',
    '{{a}',
    '$name',
    '{% a %}',
  ])('are not %j', content => {
    expect(names(content)).toEqual([])
    expect(fillIn(content, new Map([['a', 'x']]))).toBe(content)
  })

  test("have Open WebUI's types and properties", () => {
    expect(only('{{tone | select:options=["Calm","Say: \\"}}\\"",7,""]:default="Calm":required}}')).toEqual({
      name: 'tone',
      type: 'select',
      defaultText: 'Calm',
      placeholder: '',
      isRequired: true,
      options: ['Calm', 'Say: "}}"'],
      bounds: {},
    })
    expect(only('{{n | range:min=1:max=10:default=5}}')).toMatchObject({
      type: 'range',
      defaultText: '5',
      isRequired: false,
      bounds: { min: '1', max: '10' },
    })
    expect(only('{{text | textarea:placeholder="One: two"}}')).toMatchObject({
      type: 'textarea',
      placeholder: 'One: two',
    })
    expect(only('{{place | map}}')?.type).toBe('text')
  })
})

describe('filling them in', () => {
  test('fills every place, and removes empty ones except in code', () => {
    const content = '{{a}} and {{a | textarea}}: {{b}}. Run `echo \u0024{HOME}` in \u0024{City:Rome}.'
    const values = new Map([
      ['a', '$& {{b}}'],
      ['City', 'Oslo'],
    ])
    expect(fillIn(content, values)).toBe('$& {{b}} and $& {{b}}: . Run `echo \u0024{HOME}` in Oslo.')
  })

  test('changes nothing else in any prompt', () => {
    fc.assert(
      fc.property(pieces, pieces, (before, after) => {
        const quiet = [before, after].every(text => variablesOf(text).length === 0)
        fc.pre(quiet)
        expect(fillIn(before, NOTHING)).toBe(before)
        // The text before may open braces that the variable's own would close.
        fc.pre(!/\{|\$$/.test(before) && !before.includes('|'))
        expect(fillIn(`${before}{{x}}${after}`, new Map([['x', 'word']]))).toBe(`${before}word${after}`)
      }),
    )
  })

  test('with its own name in braces returns the same prompt', () => {
    fc.assert(
      fc.property(pieces, content => {
        const own = new Map(variablesOf(content).map(({ name }) => [name, `\u{E000}${name}\u{E001}`]))
        const filled = fillIn(content, own)
        for (const marked of own.values()) expect(filled).toContain(marked)
        expect(variablesOf(content).length).toBe(own.size)
      }),
    )
  })

  test('a prompt of opening braces only is read quickly', () => {
    const content = '{{a | "'.repeat(4_500)
    expect(variablesOf(content)).toEqual([])
  })
})
