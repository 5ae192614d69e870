import { expect, test } from '@jest/globals'
import { languageOfText } from './language-of-text'

test.each([
  ['en', 'The heat pump moves warmth from the air into your house.'],
  ['de', 'Was kostet das?'],
  ['es', '¿Cuánto cuesta y cómo se paga?'],
  ['fr', 'Combien est-ce que ça coûte ?'],
  ['it', 'Quanto costa e come si paga?'],
  ['pt', 'A bomba de calor move o calor do ar para a sua casa, e não consome muita energia.'],
  ['nl', 'De warmtepomp haalt warmte uit de lucht en brengt die naar het huis.'],
  ['ar', 'مرحبا بالعالم. هذه إجابة باللغة العربية.'],
  ['fa', 'این پاسخ به زبان فارسی است، پس می‌گویم چرا.'],
  ['ja', 'これは日本語の回答です。'],
  ['zh', '这是中文的回答。'],
  ['ru', 'Привет, мир. Это ответ.'],
  ['uk', 'Привіт, світе. Це відповідь.'],
  ['ko', '안녕하세요, 세계.'],
])('%s is the language of %j', (language, text) => {
  expect(languageOfText(text)).toBe(language)
})

test.each(['', '42 + 3', 'hello', 'penny, dime, dollar', 'Pompa ciepła przenosi ciepło do domu.'])(
  'of %j no language is told',
  text => expect(languageOfText(text)).toBeUndefined(),
)

test('most of a text is in its language, whatever it quotes, and whatever code it has', () => {
  const lesson = 'To say "good morning" in Arabic, you say صباح الخير, and the answer to that is صباح النور.'
  expect(languageOfText(lesson)).toBe('en')
  const code = '```sql\nselect the from this where it is not in that\n```\n'
  expect(languageOfText(`${code}Hier ist die Abfrage, die \`the and of\` nicht braucht.`)).toBe('de')
})
