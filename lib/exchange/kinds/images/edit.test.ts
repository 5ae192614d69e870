import { describe, expect, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import type { Nano } from '@/lib/money/nano'
import { editImage } from '@/test/support/exchange-calls'
import { readImageAnswer } from '@/test/support/exchange-replies'
import { createCustomer, onlyUsage, startSite, waitForUsage } from '@/test/support/exchange-site'
import { useStandInUpstream } from '@/test/support/stand-in-upstream'
import { readImageEdit } from './edit'

const PNG = new Uint8Array(Buffer.from('\x89PNG\r\n\x1a\n a picture', 'latin1'))
const JPEG = new Uint8Array(Buffer.from('\xff\xd8\xff\xe0 a picture', 'latin1'))

async function formOf(fields: Record<string, string>, files: [string, Uint8Array<ArrayBuffer>][]) {
  const form = new FormData()
  for (const [name, text] of Object.entries({ model: 'm', prompt: 'A coin', ...fields })) form.set(name, text)
  for (const [name, bytes] of files) form.append(name, new Blob([bytes]), '../evil".exe')
  const request = new Request('http://site.test', { method: 'POST', body: form })
  return { body: new Uint8Array(await request.arrayBuffer()), type: request.headers.get('content-type') }
}

describe('a form for editing pictures', () => {
  test.each<[string, Record<string, string>, [string, Uint8Array<ArrayBuffer>][], string]>([
    ['without any', {}, [], 'image'],
    ['with seventeen', {}, Array.from({ length: 17 }, () => ['image[]', PNG]), 'image'],
    ['with something else', {}, [['image', new Uint8Array(Buffer.from('<svg/>'))]], 'image'],
    [
      'with an address in place of one',
      { input_references: 'https://a.test' },
      [['image', PNG]],
      'input_references',
    ],
    [
      'with two masks',
      {},
      [
        ['image', PNG],
        ['mask', PNG],
        ['mask', PNG],
      ],
      'mask',
    ],
    ['for half a picture', { n: '0.5' }, [['image', PNG]], 'n'],
    ['for a stream', { stream: 'true' }, [['image', PNG]], 'stream'],
    ['for previews', { partial_images: '2' }, [['image', PNG]], 'partial_images'],
    ['for another host', { provider: 'x' }, [['image', PNG]], 'provider'],
    ['as near as can be', { input_fidelity: 'best' }, [['image', PNG]], 'input_fidelity'],
  ])('%s is refused', async (_, fields, files, param) => {
    const { body, type } = await formOf(fields, files)
    expect(() => readImageEdit(body, type)).toThrow(expect.objectContaining({ status: 400, param }))
  })

  test('is read with numbers as numbers, and unknown fields are dropped and reported', async () => {
    const { body, type } = await formOf({ n: '2', stream: 'false', odd: '1' }, [
      ['image[]', PNG],
      ['image[]', JPEG],
      ['mask', PNG],
    ])
    const edit = readImageEdit(body, type)
    expect(edit.request).toEqual({ model: 'm', prompt: 'A coin', n: 2, stream: false })
    expect(edit.ignoredFields).toEqual(['odd'])
    expect([edit.pictures.map(each => each.type), edit.mask?.type]).toEqual([['png', 'jpeg'], 'png'])
  })
})

describeOnPostgres('a picture drawn from other pictures', getDatabase => {
  const upstream = useStandInUpstream({})
  const site = () => startSite({ database: getDatabase(), upstream })
  const edits = () => upstream.requests.filter(({ path }) => path === '/images/edits')

  test('is charged with its input, and sent to the upstream as a form with our own file names', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 5)
    const fields = { quality: 'low', size: '1024x1024', input_fidelity: 'high' }
    const reply = await editImage(running, customer, {
      fields,
      files: [
        ['image', PNG],
        ['mask', PNG],
      ],
    })
    const { data, usage } = await readImageAnswer(reply)
    expect([data.length, usage.image_count]).toEqual([1, 1])
    const record = await onlyUsage(running.ledger, customer)
    const { billedNano } = upstream.bills()
    expect(record).toMatchObject({
      queryType: 'image',
      chargedNano: billedNano,
      costBasis: 'upstream_tokens',
    })
    // Two pictures were read.
    expect(record.inputTokenCount).toBeGreaterThan(2 * 765)
    const sent = edits()[0]?.rawBody.toString('latin1') ?? ''
    expect(sent).toContain('name="image"; filename="picture.png"\r\ncontent-type: image/png')
    expect(sent).toMatch(/name="input_fidelity"\r\n\r\nhigh\r\n/)
    expect(sent).not.toContain('evil')
  })

  test('tells how many of the input tokens were pictures', async () => {
    const details = { text_tokens: 35, image_tokens: 765 }
    const value = { input_tokens: 800, output_tokens: 4_000, input_tokens_details: details }
    upstream.setScript({ images: { usage: { mode: 'value', value } } })
    const running = site()
    const customer = await createCustomer(running.ledger, 5)
    const { usage } = await readImageAnswer(await editImage(running, customer, { files: [['image', PNG]] }))
    expect(usage).toMatchObject({ input_tokens: 800, input_tokens_details: details })
  })

  test('is held for with every sent picture, whether or not the host reports input tokens', async () => {
    const running = site()
    const held = async (files: [string, Uint8Array<ArrayBuffer>][]): Promise<Nano> => {
      const customer = await createCustomer(running.ledger, 5)
      await editImage(running, customer, { files })
      return (await waitForUsage(running.ledger, customer)).heldNano
    }
    const one = await held([['image', PNG]])
    const two = await held([
      ['image[]', PNG],
      ['image[]', JPEG],
    ])
    const masked = await held([
      ['image', PNG],
      ['mask', PNG],
    ])
    expect(masked).toBe(two)
    // Some 15,000 tokens, at half a cent for a thousand, until its context is full.
    expect(two - one).toBeGreaterThan(70_000_000n)
    upstream.setScript({ images: { usage: { mode: 'absent' } } })
    const customer = await createCustomer(running.ledger, 5)
    await editImage(running, customer, { files: [['image', PNG]] })
    expect((await waitForUsage(running.ledger, customer)).inputTokenCount).toBeGreaterThan(765)
  })

  test('by a model without image input is refused without an upstream request', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 5)
    for (const [model, code] of [
      ['standin/painter', 'invalid_request'],
      ['standin/small', 'model_not_found'],
    ]) {
      const refused = editImage(running, customer, {
        fields: { model: model ?? '' },
        files: [['image', PNG]],
      })
      await expect(refused).rejects.toMatchObject({ code, param: 'model' })
    }
    expect(edits()).toEqual([])
  })

  test('is drawn once under one idempotency key, which is refused with another picture', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 5)
    const ask = (bytes: Uint8Array<ArrayBuffer>) =>
      editImage(running, customer, { files: [['image', bytes]] }, { idempotencyKey: 'once' })
    expect(await readImageAnswer(await ask(PNG))).toEqual(await readImageAnswer(await ask(PNG)))
    await expect(ask(JPEG)).rejects.toMatchObject({ code: 'idempotency_conflict' })
    expect(edits()).toHaveLength(1)
  })
})
