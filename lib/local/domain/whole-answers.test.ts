import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { parseNano } from '@/lib/money/nano'
import { type Message, messageText } from './conversation'
import { wholeMessages } from './whole-answers'

const receipt = (costNano: number) => ({
  cost_usd: (costNano / 1e9).toFixed(9),
  input_token_count: 3,
  output_token_count: 5,
  estimated: false,
})

const message: fc.Arbitrary<Message> = fc.record({
  role: fc.constantFrom<Message['role']>('user', 'assistant'),
  id: fc.uuid(),
  content: fc.string(),
  continues: fc.constantFrom(true, undefined),
  receipt: fc.option(fc.nat(1_000_000_000).map(receipt), { nil: undefined }),
})

const nanoOf = (messages: readonly Message[]) =>
  messages.reduce((total, one) => total + (parseNano(one.receipt?.cost_usd ?? '0') ?? 0n), 0n)

describe('messages as shown', () => {
  test('have the same text, order and cost, and contain every stored message once', () => {
    fc.assert(
      fc.property(fc.array(message), messages => {
        const whole = wholeMessages(messages)
        expect(whole.flatMap(({ parts }) => parts)).toEqual(messages)
        expect(whole.map(one => messageText(one.message)).join('')).toBe(messages.map(messageText).join(''))
        expect(nanoOf(whole.map(one => one.message))).toBe(nanoOf(messages))
        for (const { parts, startIndex, message: shown } of whole) {
          expect(messages[startIndex]).toBe(parts[0])
          expect(shown.id).toBe(parts[0].id)
        }
      }),
    )
  })

  test('join a continued answer, with the end of its last part', () => {
    const first: Message = { role: 'assistant', id: 'a', content: 'Once ', status: 'completed' }
    const rest: Message = { role: 'assistant', id: 'b', content: 'upon', status: 'stopped', continues: true }
    const question: Message = { role: 'user', id: 'q', content: 'Tell' }
    const [, whole] = wholeMessages([question, { ...first, finish_reason: 'length' }, rest])
    expect(whole?.message).toMatchObject({ id: 'a', content: 'Once upon', status: 'stopped' })
    expect(whole?.message.finish_reason).toBeUndefined()
  })

  test('are the same objects until something in them changes', () => {
    const messages: Message[] = [
      { role: 'assistant', id: 'a', content: 'x' },
      { role: 'assistant', id: 'b', content: 'y', continues: true },
    ]
    const [before] = wholeMessages(messages)
    expect(wholeMessages([...messages])[0]?.message).toBe(before?.message)
    const [changed] = wholeMessages([{ role: 'assistant', id: 'a', content: 'z' }, ...messages.slice(1)])
    expect(changed?.message.content).toBe('zy')
  })
})
