import 'fake-indexeddb/auto'
import { beforeEach, describe, expect, jest, test } from '@jest/globals'
import { archive } from '@/lib/local/archive/history-store'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { creditIdStore } from '@/lib/local/credit-id'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import {
  answerIdOf,
  askOn,
  notedExchanges,
  openBrowser,
  saveQuestion,
  shownOn,
  storedAnswer,
  TestPage,
} from '@/test/support/exchange-page'
import { turns, until } from '@/test/support/exchange-world'

let { world, server, page } = openBrowser()

beforeEach(() => {
  ;({ world, server, page } = openBrowser())
})

const isPosted = () => server.exchanges.length > 0

/** Lets pauses pass until it is so. */
async function untilAfter(isDone: () => boolean) {
  for (let count = 0; count < 400 && !isDone(); count += 1) {
    world.pass(15_000)
    for (let turn = 0; turn < 20 && !isDone(); turn += 1) await new Promise(setImmediate)
  }
  expect(isDone()).toBe(true)
}

describe('a question', () => {
  test('that the balance cannot pay for leaves the conversation unchanged, and returns both amounts', async () => {
    const error = { code: 'insufficient_credit', required_usd: '0.01', available_usd: '0' }
    server.refusal = { status: 402, error }
    const conversation = saveQuestion()
    const shown: unknown[] = []
    world.giveWay = async () => void shown.push(storedAnswer(conversation)?.status)
    await expect(askOn(page, conversation)).resolves.toEqual({ requiredUsd: '0.01', availableUsd: '0' })
    // Nor is it shown as one that failed, for a moment.
    expect(shown).not.toContain('failed')
    expect(conversationStore.get(conversation.id)?.messages).toEqual([])
    expect(notedExchanges()).toEqual([])
    // What this page believes to be left is wrong.
    expect(page.balances).toEqual([Number.NaN])
  })

  test('that is refused stays in the conversation, and its answer says that nothing was charged', async () => {
    server.refusal = { status: 502, error: { code: 'upstream_error' } }
    const conversation = saveQuestion()
    await expect(askOn(page, conversation)).resolves.toBeNull()
    expect(conversationStore.get(conversation.id)?.messages).toHaveLength(2)
    expect(storedAnswer(conversation)).toMatchObject({
      status: 'failed',
      error_code: 'upstream_error',
      receipt: { cost_usd: '0' },
    })
  })

  test('that met a fault of ours is not called free, as its sentence says that it may have cost something', async () => {
    server.refusal = { status: 500, error: { code: 'internal_error' } }
    const conversation = saveQuestion()
    await askOn(page, conversation)
    expect(storedAnswer(conversation)).toMatchObject({ status: 'failed', error_code: 'internal_error' })
    expect(storedAnswer(conversation)?.receipt).toBeUndefined()
  })

  test('whose model failed after it began to reason is not called free', async () => {
    const conversation = saveQuestion()
    const asked = askOn(page, conversation)
    await until(isPosted)
    server.write('', 'Hm')
    server.isSilent = true
    server.fail()
    await asked
    expect(storedAnswer(conversation)).toMatchObject({ status: 'failed', error_code: 'upstream_error' })
    expect(storedAnswer(conversation)?.receipt).toBeUndefined()
  })

  test('whose answer has ended reports it step by step, so that the page can render in between', async () => {
    const conversation = saveQuestion()
    const steps: unknown[] = []
    world.giveWay = async () => {
      steps.push([
        page.balances.length,
        storedAnswer(conversation)?.status,
        shownOn(page, conversation) !== null,
      ])
    }
    const asked = askOn(page, conversation)
    await until(isPosted)
    server.write('Rain.')
    server.finish()
    await asked
    expect(steps).toEqual([
      [1, 'streaming', true],
      [1, 'completed', true],
    ])
    expect(shownOn(page, conversation)).toBeNull()
  })

  test('whose answer broke off without a final event has no price', async () => {
    server.isOffline = true
    const conversation = saveQuestion()
    void askOn(page, conversation)
    await untilAfter(() => storedAnswer(conversation)?.status !== 'streaming')
    expect(storedAnswer(conversation)).toMatchObject({ status: 'failed', error_code: 'connection_lost' })
    expect(storedAnswer(conversation)?.receipt).toBeUndefined()
  })

  test('writes only the small copy while it streams, and the whole list once at its end', async () => {
    const conversation = saveQuestion()
    const write = jest.spyOn(guardedStorage, 'write')
    const listWrites = () => write.mock.calls.filter(([key]) => key === 'conversationHistory').length
    const schedule = jest.spyOn(conversationStore, 'scheduleSave')
    const drafts = () => schedule.mock.calls.map(([, readDraft]) => readDraft())
    const asked = askOn(page, conversation)
    await until(isPosted)
    server.write('Be')
    await until(() => shownOn(page, conversation)?.answer.text === 'Be')
    expect(drafts().at(-1)?.messages[1]).toMatchObject({
      content: 'Be',
      status: 'streaming',
      exchange_id: 'exchange-1',
    })
    expect(listWrites()).toBe(0)
    server.write('cause.')
    server.finish()
    await asked
    expect(listWrites()).toBe(1)
    expect(drafts().every(draft => draft === null)).toBe(true)
    jest.restoreAllMocks()
  })

  test('whose answer cannot be stored stays noted until it is archived, so that a reload fetches it again', async () => {
    const archived = Promise.withResolvers<void>()
    jest.spyOn(archive, 'put').mockReturnValue(archived.promise)
    const onEnd = jest.fn()
    page.exchanges.onEnd(onEnd)
    const conversation = saveQuestion()
    const asked = askOn(page, conversation)
    await until(isPosted)
    const { write } = guardedStorage
    jest
      .spyOn(guardedStorage, 'write')
      .mockImplementation((key, text) => !/conversation/i.test(key) && write(key, text))
    server.write('Because.')
    server.finish()
    await until(() => storedAnswer(conversation)?.status === 'completed')
    await turns(20)
    expect(notedExchanges()).toHaveLength(1)
    // What waits for the answer does not wait for the disk.
    expect(onEnd).toHaveBeenCalledTimes(1)
    archived.resolve()
    await asked
    expect(notedExchanges()).toEqual([])
    jest.restoreAllMocks()
  })

  test('that was cut at a limit stores the remaining balance, which tells whose limit it was', async () => {
    const conversation = saveQuestion()
    const asked = askOn(page, conversation)
    await until(isPosted)
    server.write('Because')
    server.finish('length')
    await asked
    const { finish_reason, receipt } = storedAnswer(conversation) ?? {}
    expect([finish_reason, receipt?.left_usd]).toEqual(['length', String(page.balances.at(-1))])
  })

  test('reports its balance for the credit that paid, even if another one has replaced it', async () => {
    const conversation = saveQuestion()
    const asked = askOn(page, conversation)
    await until(isPosted)
    creditIdStore.write('another credit')
    server.write('Because.')
    server.finish()
    await asked
    expect(page.payingCredits).toEqual(['credit'])
  })

  test('stores text, cost and balance in its message, and removes its secrets', async () => {
    const conversation = saveQuestion()
    const asked = askOn(page, conversation)
    await until(isPosted)
    server.write('Be')
    server.write('cause.')
    server.finish()
    await asked
    expect(storedAnswer(conversation)).toMatchObject({
      content: 'Because.',
      status: 'completed',
      exchange_id: 'exchange-1',
      receipt: { cost_usd: '0.003', input_token_count: 1, output_token_count: 1, estimated: false },
    })
    expect(page.balances).toEqual([0.997])
    expect(notedExchanges()).toEqual([])
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'Why?' }],
      stream: true,
    })
  })

  test('in a conversation that was deleted meanwhile does not restore it', async () => {
    const conversation = saveQuestion()
    const asked = askOn(page, conversation)
    await until(isPosted)
    conversationStore.deleteConversation(conversation.id)
    server.write('Be')
    server.finish()
    await asked
    expect(conversationStore.get(conversation.id)).toBeNull()
  })

  test('stores a picture in the image store, not in the message', async () => {
    const conversation = saveQuestion()
    const asked = askOn(page, conversation, 'image')
    await until(isPosted)
    server.finish()
    await asked
    expect(storedAnswer(conversation)).toMatchObject({
      status: 'completed',
      exchange_id: 'exchange-1',
      content: [{ type: 'image_url', image_url: { url: expect.stringMatching(/^image-store:/) } }],
      receipt: { cost_usd: '0.04', image_count: 1 },
    })
    expect(page.balances).toEqual([0.96])
  })
})

describe('a stop', () => {
  test('frees the composer at once, and adds the price when the server knows it', async () => {
    server.settlesLater = true
    const conversation = saveQuestion()
    const asked = askOn(page, conversation)
    await until(isPosted)
    server.write('So far')
    await until(() => shownOn(page, conversation)?.answer.text === 'So far')
    page.exchanges.stop(answerIdOf(conversation))
    expect(storedAnswer(conversation)).toMatchObject({ status: 'stopped', content: 'So far' })
    await expect(asked).resolves.toBeNull()
    await until(() => shownOn(page, conversation) === null)
    expect(storedAnswer(conversation)?.receipt).toBeUndefined()
    expect(page.balances).toEqual([])

    server.settle()
    await until(() => !page.exchanges.isRunning(answerIdOf(conversation)))
    expect(storedAnswer(conversation)).toMatchObject({
      status: 'stopped',
      content: 'So far',
      receipt: { cost_usd: '0.001', output_token_count: 1 },
    })
    expect(page.balances.at(-1)).toBe(0.999)
  })

  test('shows the price in the reply to the stop at once', async () => {
    const conversation = saveQuestion()
    void askOn(page, conversation)
    await until(isPosted)
    server.write('So far')
    page.exchanges.stop(answerIdOf(conversation))
    await until(() => storedAnswer(conversation)?.receipt !== undefined)
    expect(storedAnswer(conversation)).toMatchObject({ status: 'stopped', receipt: { cost_usd: '0.001' } })
  })

  test('allows the next question before the price of the first is known', async () => {
    server.settlesLater = true
    const first = saveQuestion()
    const stopped = askOn(page, first)
    await until(isPosted)
    server.write('So far')
    page.exchanges.stop(answerIdOf(first))
    await stopped
    const second = saveQuestion()
    const asked = askOn(page, second)
    await until(() => server.exchanges.length === 2)
    server.write('Anew')
    server.finish()
    await asked
    expect(storedAnswer(second)).toMatchObject({ status: 'completed', content: 'Anew' })
    server.settle()
    await until(() => storedAnswer(first)?.receipt !== undefined)
    expect(storedAnswer(first)).toMatchObject({ status: 'stopped', receipt: { cost_usd: '0.001' } })
  })

  test('of a picture before the model has begun charges nothing', async () => {
    const conversation = saveQuestion()
    void askOn(page, conversation, 'image')
    await until(isPosted)
    page.exchanges.stop(answerIdOf(conversation))
    await until(() => notedExchanges().length === 0)
    expect(storedAnswer(conversation)).toMatchObject({ status: 'stopped', receipt: { cost_usd: '0' } })
  })

  test('of a picture that is being made shows it when it arrives, even after a reload', async () => {
    server.isBegun = true
    const conversation = saveQuestion()
    void askOn(page, conversation, 'image')
    await until(isPosted)
    page.exchanges.stop(answerIdOf(conversation))
    await until(() => shownOn(page, conversation)?.phase === 'finishing')
    expect(storedAnswer(conversation)).toMatchObject({ status: 'stopped' })

    await page.leave(server)
    page = new TestPage(world, server)
    void page.exchanges.resumeAll()
    await until(() => shownOn(page, conversation)?.phase === 'finishing')
    server.finish()
    await until(() => storedAnswer(conversation)?.status === 'completed')
    expect(storedAnswer(conversation)).toMatchObject({
      content: [{ type: 'image_url' }],
      receipt: { cost_usd: '0.04' },
    })
    expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
  })
})

describe('the duration of an answer', () => {
  test('is stored with it, with the reasoning time apart', async () => {
    const conversation = saveQuestion()
    const asked = askOn(page, conversation)
    await until(() => server.exchanges.length > 0)
    const write = async (...words: [string, string?]) => {
      server.write(...words)
      await turns(5)
    }
    world.pass(800)
    await write('', 'Hm.')
    world.pass(1_500)
    await write('So')
    world.pass(700)
    await write(' it is.')
    world.pass(60)
    server.finish()
    await asked
    const timing = { first_token_ms: 800, reasoning_ms: 1_500, total_ms: 3_000 }
    expect(storedAnswer(conversation)).toMatchObject({ timing })
  })

  test('is not stored by a page that fetched the answer again', async () => {
    const conversation = saveQuestion()
    void askOn(page, conversation)
    await until(() => server.exchanges.length > 0)
    server.write('So')
    await page.leave(server)
    page = new TestPage(world, server)
    const resumed = page.exchanges.resumeAll()
    await until(() => server.requests.length === 2)
    server.finish()
    await resumed
    expect(storedAnswer(conversation)).toMatchObject({ status: 'completed', content: 'So' })
    expect(storedAnswer(conversation)?.timing).toBeUndefined()
  })
})
