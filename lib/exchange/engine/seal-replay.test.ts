import { describe, expect, test } from '@jest/globals'
import { decodeReplay, encodeReplay } from './replays'
import { sealReplay, unsealReplay } from './seal-replay'

const exchangeId = '0b8f1d2e-0000-4000-8000-000000000001'
const resume = { kind: 'resume' as const, secret: 'a'.repeat(43) }
const idempotency = { kind: 'idempotency' as const, secret: 'order-1' }
const plain = Buffer.from('a very private answer')

describe('a sealed answer', () => {
  test('opens with either of its secrets', () => {
    const sealed = sealReplay(plain, { exchangeId, secrets: [resume, idempotency] })
    for (const secret of [resume, idempotency]) {
      expect(unsealReplay(sealed, { exchangeId, secret })).toEqual(plain)
    }
    expect(sealed.includes('private')).toBe(false)
  })

  test.each([
    ['another secret', exchangeId, { ...resume, secret: 'b'.repeat(43) }],
    ['a secret of another kind', exchangeId, { ...idempotency, secret: resume.secret }],
    ['another exchange', exchangeId.replace('1', '2'), resume],
  ])('does not open with %s', (_case, id, secret) => {
    const sealed = sealReplay(plain, { exchangeId, secrets: [resume] })
    expect(unsealReplay(sealed, { exchangeId: id, secret })).toBeNull()
  })

  test('does not open if a byte was changed or cut off', () => {
    const sealed = sealReplay(plain, { exchangeId, secrets: [resume, idempotency] })
    const slot = { start: 61, end: 121 }
    for (let index = 0; index < sealed.length; index += 1) {
      if (index >= slot.start && index < slot.end) continue
      const changed = Buffer.from(sealed)
      changed.writeUInt8(changed.readUInt8(index) ^ 1, index)
      expect(unsealReplay(changed, { exchangeId, secret: resume })).toBeNull()
      expect(unsealReplay(sealed.subarray(0, index), { exchangeId, secret: resume })).toBeNull()
    }
  })

  test('seals the same answer differently every time', () => {
    const seal = () => sealReplay(plain, { exchangeId, secrets: [resume] })
    expect(seal()).not.toEqual(seal())
  })
})

describe('an encoded answer', () => {
  test('decodes to its head, and its body after any entry', async () => {
    const head = { status: 200, headers: { 'content-type': 'text/event-stream' }, numbered: true }
    const decoded = await decodeReplay(
      await encodeReplay(
        head,
        ['one', '', 'three'].map(text => Buffer.from(text)),
      ),
    )
    expect(decoded.head).toEqual(head)
    expect([0, 1, 2, 3].map(count => decoded.bodyAfter(count)?.toString())).toEqual([
      'onethree',
      'three',
      'three',
      '',
    ])
    expect(decoded.bodyAfter(4)).toBeNull()
  })
})
