import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { countTokens as countAsGpt4 } from 'gpt-tokenizer/encoding/cl100k_base'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { anyCharacter } from '@/test/support/any-character'
import { measurePrompt } from '../domain/measure-prompt'
import { probablePromptTokenCountMax } from '../domain/prompt-tokens'
import { utf8ByteCount } from '../domain/text-bytes'
import { boundTokens, countTokens, slicesOf } from './count-tokens'

const exactly = (text: string) => encode(text, { disallowedSpecial: new Set() }).length
const PROSE = readFileSync('README.md', 'utf8')
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'

describe('the token count', () => {
  test('of an empty text is zero', async () => {
    expect(await countTokens([])).toBe(0)
    expect(await countTokens(['', ''])).toBe(0)
  })

  test('of short texts is that of the tokenizer, also with its special tokens', async () => {
    for (const text of ['Hello, world!', 'Größenwahn', 'नमस्ते', '👩‍👩‍👧', '<|endoftext|>', '\ud800', ' \n\t '])
      expect(await countTokens([text])).toBe(exactly(text))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: anyCharacter, maxLength: 100 })), async texts => {
        const sum = texts.reduce((total, text) => total + exactly(text), 0)
        return (await countTokens(texts)) === sum
      }),
    )
  })

  test('of prose is nearly the same when it is counted in slices', async () => {
    const counted = await countTokens([PROSE])
    expect(counted).toBeGreaterThanOrEqual(exactly(PROSE))
    expect(counted).toBeLessThan(exactly(PROSE) * 1.01)
  })

  test('is never more than the bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: anyCharacter, maxLength: 3_000 }), async text => {
        return (await countTokens([text])) <= utf8ByteCount(text)
      }),
      { numRuns: 30 },
    )
  })

  test.each(['a', 'é', '字', '👩‍👩‍👧'])('of %s is made in slices of equal bytes, in any script', sign => {
    const text = sign.repeat(2_000)
    const slices = [...slicesOf(text)]
    expect(slices.join('')).toBe(text)
    for (const slice of slices) expect(utf8ByteCount(slice)).toBeLessThanOrEqual(520)
  })

  test('of a long text is extrapolated from a sample', async () => {
    const half = PROSE.repeat(Math.ceil(300_000 / PROSE.length))
    const halves = [half, '字'.repeat(300_000)]
    const expected =
      exactly(PROSE) * (half.length / PROSE.length) + exactly('字'.repeat(512)) * (300_000 / 512)
    const counted = await countTokens(halves)
    expect(counted).toBeGreaterThan(expected * 0.95)
    expect(counted).toBeLessThan(expected * 1.05)
  })

  test('of very many short texts is extrapolated from a sample', async () => {
    const texts = Array.from({ length: 200_000 }, () => '"name":')
    const expected = exactly('"name":') * texts.length
    const counted = await countTokens(texts)
    expect(counted).toBeGreaterThan(expected * 0.95)
    expect(counted).toBeLessThan(expected * 1.05)
  })
})

test.each([
  ['one letter', 'a'.repeat(100_000)],
  [
    'letters at random',
    Array.from({ length: 60_000 }, (_, index) => LETTERS[(index * index * 7 + index) % 26]).join(''),
  ],
  [
    'signs of a rare script',
    Array.from({ length: 30_000 }, (_, index) =>
      String.fromCharCode(0x4e00 + ((index * 7919) % 20_000)),
    ).join(''),
  ],
])(
  'the loop turns many times while %s without a space are counted, and for others between',
  async (_, text) => {
    let turns = 0
    let isDone = false
    const spin = () => {
      turns += 1
      if (!isDone) setImmediate(spin)
    }
    await countTokens(['x'])
    const counting = countTokens([text])
    setImmediate(spin)
    const order: string[] = []
    const long = counting.then(() => order.push('long'))
    await countTokens(['short']).then(() => order.push('short'))
    await long
    isDone = true
    expect(order).toEqual(['short', 'long'])
    expect(turns).toBeGreaterThan(3)
  },
)

/**
 * For each sentence, the most tokens that any of the tokenizers of GPT-4, Claude, Llama, DeepSeek, Gemma and Qwen
 * makes.
 */
const SENTENCES: readonly (readonly [sentence: string, most: number])[] = [
  ['The coin lay on the table, and nobody had thought of picking it up again before the evening. ', 21],
  ['Moneta leżała na stole i aż do wieczora nikt nie pomyślał, żeby ją podnieść. ', 37],
  ['Madeni para masanın üzerinde duruyordu ve akşama kadar kimse onu almayı düşünmedi. ', 36],
  ['Đồng xu nằm trên bàn, và cho đến tối không ai nghĩ đến việc nhặt nó lên. ', 54],
  ['Монета лежала на столе, и до самого вечера никто не подумал её поднять. ', 35],
  ['Напиши, пожалуйста, короткое письмо: хочу расторгнуть договор и вернуть залог. ', 46],
  ['Монета лежала на столі, і до самого вечора ніхто не здогадався її підняти. ', 44],
  ['Маған ағылшын тілін үйренуге арналған жоспар жасап берші. ', 47],
  ['Γράψε μου ένα σύντομο γράμμα προς τον ιδιοκτήτη του σπιτιού για την επιστροφή. ', 85],
  ['Մետաղադրամը սեղանին էր դրված, և մինչև երեկո ոչ ոք չմտածեց այն վերցնել։ ', 133],
  ['המטבע היה מונח על השולחן, ועד הערב איש לא חשב להרים אותו. ', 59],
  ['اكتب لي من فضلك رسالة قصيرة إلى صاحب الشقة أطلب فيها استرداد التأمين. ', 66],
  ['سکہ میز پر پڑا تھا اور شام تک کسی نے اسے اٹھانے کا نہیں سوچا۔ ', 74],
  ['सिक्का मेज पर पड़ा था और शाम तक किसी ने उसे उठाने के बारे में नहीं सोचा। ', 78],
  ['मुझे हर दिन आधे घंटे में अंग्रेज़ी व्याकरण सीखने का सबसे अच्छा तरीका बताओ। ', 86],
  ['মুদ্রাটি টেবিলের উপর পড়ে ছিল, এবং সন্ধ্যা পর্যন্ত কেউ তা তোলার কথা ভাবেনি। ', 132],
  ['ਸਿੱਕਾ ਮੇਜ਼ ਉੱਤੇ ਪਿਆ ਸੀ ਅਤੇ ਸ਼ਾਮ ਤੱਕ ਕਿਸੇ ਨੇ ਇਸਨੂੰ ਚੁੱਕਣ ਬਾਰੇ ਨਹੀਂ ਸੋਚਿਆ। ', 188],
  ['સિક્કો ટેબલ પર પડ્યો હતો અને સાંજ સુધી કોઈએ તેને ઉપાડવાનું વિચાર્યું નહીં. ', 197],
  ['நாணயம் மேசையில் கிடந்தது, மாலை வரை யாரும் அதை எடுக்க நினைக்கவில்லை. ', 125],
  ['നാണയം മേശപ്പുറത്ത് കിടന്നു, വൈകുന്നേരം വരെ ആരും അത് എടുക്കാൻ ചിന്തിച്ചില്ല. ', 167],
  ['เหรียญวางอยู่บนโต๊ะ และไม่มีใครคิดจะหยิบมันขึ้นมาจนกระทั่งตอนเย็น ', 123],
  ['မည်သူမျှ ကောက်ယူရန် မစဉ်းစားခဲ့ပါ။ ', 68],
  ['កាក់ស្ថិតនៅលើតុ ហើយរហូតដល់ល្ងាចគ្មាននរណាគិតយកវាឡើយ។ ', 152],
  ['მონეტა მაგიდაზე იდო და საღამომდე არავის უფიქრია მისი აღება. ', 110],
  ['동전은 탁자 위에 놓여 있었고, 저녁까지 아무도 주울 생각을 하지 않았다. ', 49],
  ['桌上放着一枚硬币,直到傍晚也没有人想到要把它捡起来。', 37],
  ['机の上に置かれた硬貨を、夕方まで誰も拾おうとはしませんでした。', 40],
  ['😂👍🎉🚀🥳🤝🧾🪙', 23],
]

type Repeated = readonly [sentence: (typeof SENTENCES)[number], times: number]

/** The margin must cover the most tokens that any tokenizer makes of the text. */
async function expectCovered(...chosen: readonly Repeated[]): Promise<void> {
  const text = chosen.map(([[sentence], times]) => sentence.repeat(times)).join('')
  const most = chosen.reduce((sum, [[, tokenCount], times]) => sum + tokenCount * times, 0)
  const measure = measurePrompt({ messages: [{ role: 'user', content: text }] })
  const estimate = await countTokens(measure.texts())
  // Without the tokens of the template, which many messages share.
  const reckoned = probablePromptTokenCountMax(measure, { estimate, bound: measure.byteCount + 64 }) - 64
  expect(reckoned).toBeGreaterThanOrEqual(Math.min(most, measure.byteCount))
  expect(reckoned).toBeGreaterThanOrEqual(countAsGpt4(text))
}

test.each(SENTENCES)('the margin covers any tokenizer, once or often, for %s', async (...sentence) => {
  await expectCovered([sentence, 1])
  await expectCovered([sentence, 40])
})

describe('the bound that nobody pays for', () => {
  test('is exact for a text as long as OpenAI speaks', async () => {
    const text = PROSE.slice(0, 4_096)
    expect(await boundTokens([text])).toBe(await countTokens([text]))
  })

  test('is the bytes of a longer one, however many texts it is in', async () => {
    expect(await boundTokens(['ä'.repeat(4_097)])).toBe(2 * 4_097)
    expect(await boundTokens(['ä'.repeat(4_096), '!'])).toBe(2 * 4_096 + 1)
  })
})

test('the margin covers any tokenizer for any mix of ordinary sentences', async () => {
  const some = fc.tuple(fc.constantFrom(...SENTENCES), fc.integer({ min: 1, max: 10 }))
  await fc.assert(
    fc.asyncProperty(fc.array(some, { minLength: 2, maxLength: 4 }), chosen => expectCovered(...chosen)),
  )
})
