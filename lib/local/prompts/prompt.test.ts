import { expect, test } from '@jest/globals'
import { findPrompts } from './prompt'

const PROMPTS = [
  { name: 'Résumé', content: 'Résume ce texte.' },
  { name: 'Grüße', content: 'Schreib liebe Grüße.' },
]

test.each([
  ['resume texte', ['Résumé']],
  ['RÉSUMÉ', ['Résumé']],
  ['re\u0301sume\u0301', ['Résumé']],
  ['grusse', ['Grüße']],
  ['', ['Résumé', 'Grüße']],
])('%j finds prompts whatever their case and accents', (query, names) => {
  expect(findPrompts(PROMPTS, query).map(({ name }) => name)).toEqual(names)
})
