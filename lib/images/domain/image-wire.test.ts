import { describe, expect, test } from '@jest/globals'
import { NO_TOKENS } from '@/lib/catalogue/domain/cost'
import { readDrawnImages } from './drawn-images'
import { imageAnswer } from './image-answer'
import { imageRequestSchema } from './image-request'
import { imagePath, imageUpstreamBody } from './image-upstream-body'

const OPENROUTER = 'https://openrouter.ai/api/v1'
const OTHER = 'https://images.test/v1'

describe('an image request', () => {
  test.each([
    {},
    { prompt: '' },
    { prompt: '  \n' },
    { prompt: 'x'.repeat(32_001) },
    { n: 0 },
    { n: 11 },
    { n: 1.5 },
    { n: '2' },
    { model: '' },
    { response_format: 'png' },
    { stream: true },
    { size: 'x'.repeat(65) },
  ])('is refused when it says %j', fields => {
    const base = Object.keys(fields).length === 0 ? {} : { model: 'm', prompt: 'A coin' }
    expect(imageRequestSchema.safeParse({ ...base, ...fields }).success).toBe(false)
  })

  test('keeps the fields that are the upstream’s to judge', () => {
    const request = { model: 'm', prompt: 'A coin', style: 'vivid', seed: 7 }
    expect(imageRequestSchema.parse(request)).toEqual(request)
  })
})

describe('what the upstream is asked', () => {
  const request = { model: 'm', prompt: 'A coin', n: 4, size: '1024x1024', style: 'vivid' }

  test('is the request, for as many pictures as are held for', () => {
    expect(imageUpstreamBody(request, { imageCount: 3, baseUrl: OTHER })).toEqual({ ...request, n: 3 })
  })

  test('has no number where the client named none', () => {
    const { n, ...single } = request
    expect(imageUpstreamBody(single, { imageCount: 1, baseUrl: OTHER })).not.toHaveProperty('n')
  })

  test.each([
    [OTHER, 'dall-e-3', true],
    [OTHER, 'gpt-image-1', false],
    [OPENROUTER, 'bytedance-seed/seedream-4.5', false],
  ])('at %s for %s names a format: %s', (baseUrl, model, named) => {
    const body = imageUpstreamBody(
      { ...request, model, response_format: 'b64_json' },
      { imageCount: 1, baseUrl },
    )
    expect('response_format' in body).toBe(named)
  })

  test('is asked at the address of the host’s own image API', () => {
    expect(imagePath(OPENROUTER)).toBe('/images')
    expect(imagePath(OTHER)).toBe('/images/generations')
    expect(imagePath('https://openrouter.ai.evil.test/v1')).toBe('/images/generations')
  })
})

describe('what came', () => {
  test.each([[{}], [{ data: null }], [{ data: 'x' }], [{ error: 'no' }]])('of %j is no answer', body => {
    expect(readDrawnImages(body, 10)).toBeNull()
  })

  test.each([
    [{}],
    [null],
    ['x'],
    [{ b64_json: '' }],
    [{ b64_json: '<html>' }],
    [{ b64_json: 5 }],
    [{ url: 'javascript:alert(1)' }],
    [{ url: 'data:text/html;base64,AAAA' }],
    [{ url: `https://a.test/${'x'.repeat(9_000)}` }],
    [{ url: 'file:///etc/passwd' }],
  ])('as %j is no picture, and is not counted', entry => {
    expect(readDrawnImages({ data: [entry, { b64_json: 'AAAA' }] }, 10)?.images).toEqual([
      { b64_json: 'AAAA' },
    ])
  })

  test('beyond what was asked for is neither counted nor handed on', () => {
    const data = Array.from({ length: 5 }, () => ({ b64_json: 'AAAA' }))
    expect(readDrawnImages({ data }, 2)?.images).toHaveLength(2)
  })

  test('is handed on with what its upstream says of it, and with its price', () => {
    const drawn = readDrawnImages(
      { created: 5, data: [{ url: 'https://a.test/x.png', revised_prompt: 'A copper coin' }] },
      1,
    )
    if (!drawn) throw new Error('no pictures')
    const tokens = { ...NO_TOKENS, inputTokenCount: 1, outputTokenCount: 2, imageCount: 1 }
    const charge = { costNano: 40_000_000n, costBasis: 'local_count' as const, tokens, estimated: false }
    const settled = { createdAtSeconds: 9, chargedNano: 40_000_000n, balanceNano: 960_000_000n }
    expect(imageAnswer({ drawn, charge, ...settled })).toEqual({
      created: 5,
      data: [{ url: 'https://a.test/x.png', revised_prompt: 'A copper coin' }],
      usage: {
        input_tokens: 1,
        output_tokens: 2,
        total_tokens: 3,
        image_count: 1,
        cost: 0.04,
        balance_usd: 0.96,
      },
    })
    expect(imageAnswer({ drawn, charge, ...settled, balanceNano: null }).usage).not.toHaveProperty(
      'balance_usd',
    )
  })
})
