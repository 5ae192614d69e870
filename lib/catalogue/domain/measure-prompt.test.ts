import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { anyCharacter } from '@/test/support/any-character'
import { longerOf, measurePrompt, withFetchedFiles } from './measure-prompt'
import { someModel } from './testing'

const user = (content: unknown) => ({ messages: [{ role: 'user', content }] })
const bytesOf = (body: unknown) => measurePrompt(body).byteCount
const textsOf = (body: unknown) => [...measurePrompt(body).texts()]

/** Every place in a request that may contain something a model reads. */
const places: Record<string, (text: string) => unknown> = {
  'a message': text => user(text),
  'a part': text => user([{ type: 'text', text }]),
  'a part that is only a text': text => user([text]),
  'a name': text => ({ messages: [{ role: 'user', name: text, content: '' }] }),
  'what was refused': text => ({ messages: [{ role: 'assistant', content: null, refusal: text }] }),
  'the arguments of a call': text => ({
    messages: [
      { role: 'assistant', tool_calls: [{ type: 'function', function: { name: 'a', arguments: text } }] },
    ],
  }),
  'the input of a call': text => user([{ type: 'tool_use', name: 'a', input: { deep: [{ query: text }] } }]),
  'the result of a call': text => user([{ type: 'tool_result', content: [{ type: 'text', text }] }]),
  'a document of words': text => user([{ type: 'document', source: { type: 'text', data: text } }]),
  'a document of parts': text =>
    user([{ type: 'document', source: { type: 'content', content: [{ type: 'text', text }] } }]),
  'a part of an unknown type': text => user([{ type: 'hologram', caption: { text } }]),
  'a part without a type': text => user([{ caption: text }]),
  'a tool': text => ({ tools: [{ type: 'function', function: { name: 'a', description: text } }] }),
  'the name of a field of a tool': text => ({ tools: [{ parameters: { properties: { [text]: {} } } }] }),
  'an old function': text => ({ functions: [{ name: 'a', description: text }] }),
  'the form of an answer': text => ({ response_format: { json_schema: { schema: { enum: [text] } } } }),
  'an unknown field': text => ({ whatever: { next: text } }),
  instructions: text => ({ instructions: text }),
  'a system prompt': text => ({ system: [{ type: 'text', text }] }),
  'a plain prompt': text => ({ prompt: text }),
  'an item of input': text => ({ input: [{ type: 'message', content: [{ type: 'input_text', text }] }] }),
  'the output of a call': text => ({ input: [{ type: 'function_call_output', output: text }] }),
  'the call itself': text => ({ input: [{ type: 'function_call', name: 'a', arguments: text }] }),
  'a picture that is none': text => ({ image: text }),
}

describe.each(Object.entries(places))('a text in %s', (_, put) => {
  test('counts with all its bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), text => {
        return bytesOf(put(text)) - bytesOf(put('')) >= Buffer.byteLength(text)
      }),
    )
  })

  test('is among what is tokenized', () => {
    expect(textsOf(put('Brandywine')).some(text => text.includes('Brandywine'))).toBe(true)
  })
})

describe('the bytes of a request', () => {
  test('are never fewer than its indented JSON, outside of messages', () => {
    const name = fc.string({ unit: anyCharacter })
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(name), (value, names) => {
        const tools = [{ type: 'function', value, names }]
        const indented = JSON.stringify(tools, null, '\t')
        return bytesOf({ tools }) >= Buffer.byteLength(indented.replaceAll('\t', ''))
      }),
    )
  })

  test('of an unknown part are those of its JSON, since a host may send it so to the model', () => {
    const text = '"\u0007é'.repeat(1_000)
    expect(bytesOf(user([{ type: 'hologram', caption: text }]))).toBeGreaterThan(14_000)
    expect(bytesOf(user([{ caption: [[text]] }]))).toBeGreaterThan(14_000)
    expect(bytesOf(user([[text]]))).toBeGreaterThan(14_000)
    expect(bytesOf(user([{ type: 'text', text }]))).toBeLessThan(4_100)
  })

  test('do not include the data of a picture, however large', () => {
    const picture = (url: string) => user([{ type: 'image_url', image_url: { url, detail: 'high' } }])
    const { texts: _, ...small } = measurePrompt(picture('data:image/png;base64,A'))
    const { texts: __, ...large } = measurePrompt(picture(`data:image/png;base64,${'A'.repeat(100_000)}`))
    expect(large).toEqual(small)
    expect(large.imageCount).toBe(1)
  })

  test.each([
    [
      'Responses',
      { input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'data:image/png;base64,A' }] }] },
    ],
    ['Anthropic', user([{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'A' } }])],
    ['a result', user([{ type: 'tool_result', content: [{ type: 'image', source: { data: 'A' } }] }])],
    [
      'a screenshot',
      { input: [{ type: 'computer_call_output', output: { type: 'computer_screenshot', image_url: 'A' } }] },
    ],
    ['a picture to draw from without a type', { prompt: 'x', images: [{ image_url: 'https://a.test/b' }] }],
    ['pictures to draw from', { prompt: 'x', image: 'data:image/webp;base64,A' }],
    [
      'OpenRouter’s pictures',
      { input_references: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,A' } }] },
    ],
    ['a picture to draw from by its bytes alone', { prompt: 'x', image: 'iVBORw0KGgo=' }],
    [
      'a picture to draw from that calls itself a message',
      { prompt: 'x', image: { role: 'user', url: 'A' } },
    ],
    ['one that calls itself a text', { prompt: 'x', images: [{ type: 'text', image_url: 'A' }] }],
    ['one whose type is a list', { prompt: 'x', images: [{ type: ['image_url'], image_url: 'A' }] }],
  ])('count a picture in the shape of %s', (_, body) => {
    expect(measurePrompt(body)).toMatchObject({ imageCount: 1, isUnbounded: false })
  })

  test('include text that claims to be a picture', () => {
    const text = 'x'.repeat(50_000)
    const message = { messages: [{ role: 'user', type: 'image_url', content: text, image_url: text }] }
    expect(bytesOf(message)).toBeGreaterThan(100_000)
    expect(bytesOf(user([{ type: 'image_url', image_url: { url: 'a' }, text }]))).toBeGreaterThan(50_000)
    expect(bytesOf({ tools: [{ type: 'image_url', image_url: text }] })).toBeGreaterThan(50_000)
    expect(bytesOf(user([{ type: 'text', text: `data:image/png;base64,${text}` }]))).toBeGreaterThan(50_000)
  })
})

test('a part with a role is still counted as the picture, sound or file of its type', () => {
  const url = 'https://example.com/a.png'
  const data = 'A'.repeat(9_000)
  const parts = [
    { type: 'image_url', role: 'user', image_url: { url } },
    { type: 'image_url', role: null, image_url: { url: 'data:application/pdf;base64,A' } },
    { type: 'input_audio', role: '', input_audio: { data, format: 'mp3' } },
    { type: 'file', role: 'user', file: { file_data: data } },
  ]
  expect(measurePrompt(user(parts))).toMatchObject({
    imageCount: 2,
    audioParts: [{ base64Length: 9_000 }],
    fileCount: 1,
    fileCharacterCount: 9_000,
  })
  expect(measurePrompt(user(parts.slice(1, 2))).isUnbounded).toBe(true)
})

test('sound is reported with its length, and not counted in the bytes', () => {
  const heard = (format: unknown) =>
    user([{ type: 'input_audio', input_audio: { data: 'A'.repeat(9_000), format } }])
  for (const format of ['mp3', 7]) {
    const audioParts = [{ base64Length: 9_000 }]
    expect(measurePrompt(heard(format))).toMatchObject({ audioParts, isUnbounded: false })
  }
  expect(bytesOf(heard('wav'))).toBeLessThan(100)
})

describe('the length of a prompt is unknown', () => {
  test.each([
    ['behind an address', { type: 'file', file: { file_data: 'https://example.com/a.pdf' } }],
    ['uploaded before', { type: 'file', file: { file_id: 'file-1' } }],
    ['in the request', { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0=' } }],
    ['in a shape of other APIs', { type: 'document', source: { type: 'base64', data: 'JVBERi0=' } }],
    ['with a role beside it', { type: 'input_file', role: 'user', file_data: 'JVBERi0=' }],
    ['a film', { type: 'video_url', video_url: { url: 'https://example.com/a.mp4' } }],
    [
      'that calls itself a picture',
      { type: 'image_url', image_url: { url: 'data:application/pdf;base64,A' } },
    ],
    ['that is drawn by words', { type: 'image_url', image_url: { url: 'data:image/svg+xml;base64,A' } }],
    ['that does so briefly', { type: 'input_image', image_url: ' DATA:text/plain,A' }],
    ['behind an address that says so', { type: 'image_url', image_url: { url: 'https://a.test/b.PDF?c#d' } }],
    ['a film of a store', { type: 'image_url', image_url: { url: 'gs://bucket/film.mp4' } }],
    ['a film as a picture', { type: 'image', source: { type: 'url', url: 'https://a.test/film.mp4' } }],
    [
      'that LiteLLM is told of',
      { type: 'image_url', image_url: { url: 'data:image/png;base64,A', format: 'video/mp4' } },
    ],
    ['that says so in its part', { type: 'input_image', image_url: 'https://a.test', mime_type: 'a/pdf' }],
    ['that says so beside it', { type: 'image', source: { media_type: 'application/pdf', data: 'A' } }],
  ])('with a file %s', (_, part) => {
    expect(measurePrompt(user([part])).isUnbounded).toBe(true)
  })

  const byAddress = (...urls: string[]) =>
    measurePrompt(user(urls.map(url => ({ type: 'image_url', image_url: { url } }))))

  test.each([
    ['a picture', ['text', 'image'], false],
    ['a film', ['text', 'image', 'video'], true],
  ])('with a picture given by URL, if a model accepts %s', (_, inputModalities, isUnbounded) => {
    const models = [someModel(), someModel({ inputModalities })]
    const asked = (url: string) => withFetchedFiles(models, byAddress(url), { routes: true }).isUnbounded
    expect(asked('https://a.test/mp4?b.pdf')).toBe(isUnbounded)
    expect(asked('gs://bucket/film')).toBe(isUnbounded)
    expect(asked('data:image/png;base64,A')).toBe(false)
  })

  test.each(['google/gemini-4-pro', 'amazon/nova-pro-v1'])(
    'with a picture given by URL, if a model is known to accept video although its host does not list it: %s',
    id => {
      const models = [someModel({ id })]
      const sent = 'data:image/png;base64,A'
      const measure = withFetchedFiles(models, byAddress(sent, 'https://a.test/b', sent), { routes: true })
      expect(measure).toMatchObject({ isUnbounded: true, hasHiddenSound: true })
    },
  )

  test.each([
    ['a model that lists files', someModel({ id: 'm', inputModalities: ['text', 'image', 'file'] })],
    ['a model that is known to read documents', someModel({ id: 'bedrock/claude-sonnet-4-5' })],
  ])('with a picture given by URL to %s, unless its host is a router', (_, model) => {
    const measure = byAddress('https://a.test/b')
    const asked = (routes: boolean) => withFetchedFiles([model], measure, { routes })
    expect(asked(false)).toMatchObject({ isUnbounded: true, hasHiddenSound: false })
    expect(asked(true).isUnbounded).toBe(false)
    const sent = byAddress('data:image/png;base64,A')
    expect(withFetchedFiles([model], sent, { routes: false }).isUnbounded).toBe(false)
  })

  test.each([
    { previous_response_id: 'resp_1' },
    { conversation: { id: 'conv_1' } },
    { prompt: { id: 'pmpt_1' } },
    { input: [{ type: 'item_reference', id: 'msg_1' }] },
    { messages: [{ role: 'assistant', audio: { id: 'audio_1' } }] },
  ])('with a reference to something stored at the host: %j', body => {
    expect(measurePrompt(body).isUnbounded).toBe(true)
  })

  test('but not if everything is in the request', () => {
    expect(measurePrompt({ ...user('Hi'), previous_response_id: null, prompt: 'x' }).isUnbounded).toBe(false)
  })
})

test.each([
  ['of a film', { type: 'video_url', video_url: { url: 'https://example.com/a.mp4' } }, true],
  ['of a film as a picture', { type: 'image_url', image_url: { url: 'data:video/mp4;base64,A' } }, true],
  ['of an earlier answer', { role: 'assistant', audio: { id: 'audio_1' } }, true],
  ['of a film as a file', { type: 'file', file: { file_id: 'https://example.com/a.mp4' } }, true],
  [
    'of sound that calls itself a paper',
    { type: 'input_file', filename: 'data:text/plain,a.pdf', file_url: 'https://example.com/a' },
    true,
  ],
  [
    'of a film that LiteLLM is told of',
    { type: 'file', file: { file_data: 'data:application/pdf;base64,A', format: 'video/mp4' } },
    true,
  ],
  ['of no words', { type: 'input_file', file_data: 'data:text/plain;base64,SGk=' }, false],
  ['of no paper', { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0=' } }, false],
])('unmeasurable sound is suspected or not %s', (_, part, hasHiddenSound) => {
  expect(measurePrompt(user([part])).hasHiddenSound).toBe(hasHiddenSound)
})

test.each([
  ['few references', 'Hi', 1, false],
  ['many references', 'Hi', 8, true],
  ['few references beside a long text', 'Rain came late. '.repeat(20_000), 4, false],
  ['many references beside a long space', ' '.repeat(250_000), 8, true],
])('a prompt of %s has many references or not', (_, text, depth, hasManyReferences) => {
  const definitions = Array.from({ length: depth }, (_, index) => {
    const next = { $ref: `#/$defs/level${index + 1}` }
    return [`level${index}`, { type: 'object', properties: { left: next, right: next } }] as const
  })
  const $defs = { ...Object.fromEntries(definitions), [`level${depth}`]: { type: 'string' } }
  const parameters = { $defs, $ref: '#/$defs/level0' }
  const tools = [{ type: 'function', function: { name: 'note', parameters } }]
  expect(measurePrompt({ ...user(text), tools }).hasManyReferences).toBe(hasManyReferences)
})

test('a cache, and a longer lifetime of one, are noticed wherever they are requested', () => {
  const cached = (cache_control: unknown) => user([{ type: 'text', text: 'x', cache_control }])
  expect(measurePrompt(cached({ type: 'ephemeral' }))).toMatchObject({ mayCache: true, mayCacheLong: false })
  expect(measurePrompt(user('cache_control: "1h"'))).toMatchObject({ mayCache: false, mayCacheLong: false })
  expect(measurePrompt(cached({ type: 'ephemeral', ttl: '1h' })).mayCacheLong).toBe(true)
  expect(measurePrompt({ prompt_cache_retention: '24h' }).mayCacheLong).toBe(true)
  const marked = measurePrompt({ tools: [{ cache_control: { ttl: '1h' } }] })
  expect(marked).toMatchObject({ mayCache: true, mayCacheLong: true })
})

test('a prompt in two forms counts as the longer one in every respect, with the files of the first', () => {
  const texts = measurePrompt({
    ...user('long '.repeat(100)),
    prompt_cache_retention: '24h',
    cache_control: { type: 'ephemeral' },
  })
  const others = measurePrompt({
    messages: [
      { role: 'user', content: 'Привет' },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.test/b' } }] },
    ],
    tools: [{ name: 'a' }],
  })
  for (const [first, second] of [
    [texts, others],
    [others, texts],
  ] as const) {
    const { texts: longest, ...counts } = longerOf(first, second)
    expect([...longest()]).toEqual([...texts.texts()])
    expect(counts).toMatchObject({
      byteCount: texts.byteCount,
      scriptTokenCount: others.scriptTokenCount,
      messageCount: 2,
      toolCount: 1,
      mayCache: true,
      mayCacheLong: true,
      imageCount: first.imageCount,
    })
  }
})

describe('the text to be tokenized', () => {
  test('is the content of messages, without field names and fields that no model reads', () => {
    const body = {
      model: 'vendor/model',
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Hi' },
            { type: 'image_url', image_url: { url: 'A' } },
          ],
        },
      ],
      metadata: { note: 'private' },
      temperature: 1,
    }
    expect(textsOf(body).sort()).toEqual(['Be brief.', 'Hi'])
  })

  test('includes what is too long to be a label, wherever it is', () => {
    const long = 'x'.repeat(65)
    const messages = ['user', long].map(id => ({ role: 'user', id, content: 'Hi' }))
    expect(textsOf({ messages }).sort()).toEqual(['Hi', 'Hi', long])
  })

  test('includes tools as pieces of JSON', () => {
    expect(textsOf({ tools: [{ name: 'a', strict: true }] }).sort()).toEqual(
      ['"name":', '"a",', '"strict":', '"true",'].sort(),
    )
  })
})

describe('a hostile body', () => {
  const nest = (wrap: (inner: unknown) => unknown) => {
    let nested: unknown = 'end'
    for (let depth = 0; depth < 30_000; depth += 1) nested = wrap(nested)
    return nested
  }

  test.each<[string, (inner: unknown) => unknown]>([
    ['of lists', inner => [inner]],
    ['of objects', inner => ({ a: inner })],
    ['of messages', inner => ({ role: 'user', content: inner })],
    ['of parts', inner => ({ type: 'tool_result', content: [inner] })],
  ])('nested deeper than the call stack, %s, is measured in any place', (_, wrap) => {
    const nested = nest(wrap)
    for (const body of [
      nested,
      { messages: nested },
      { tools: nested },
      { messages: [{ role: 'user', content: nested }] },
    ])
      expect(bytesOf(body) + textsOf(body).length).toBeGreaterThan(3)
  })

  test('of any JSON is measured', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        const bodies = [
          value,
          { messages: value },
          { input: [value] },
          user([value]),
          { tools: value },
          { image: value },
        ]
        return bodies.every(
          body => bytesOf(body) >= 0 && textsOf(body).every(text => typeof text === 'string'),
        )
      }),
    )
  })
})
