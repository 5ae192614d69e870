import { beforeEach, describe, expect, test } from '@jest/globals'
import type { Conversation, Message } from '@/lib/local/domain/conversation'
import { ChatEngine, type ChatPorts } from './chat-engine'
import { createLiveAnswers } from './live-answers'
import { createPendingExchanges } from './pending-exchanges'
import type { ExchangeInput, ExchangeResult } from './run-exchange'
import { EMPTY_ANSWER } from './stream-reducer'

const DONE = 'data: [DONE]\n\n'
const USAGE =
  'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2,"cost":0.00042,"balance_usd":0.5}}\n\n'

function delta(content: string) {
  return `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`
}

function conversationWith(answer: Partial<Message>): Conversation {
  return {
    id: 'c',
    created_at: '2026-11-20T00:00:00.000Z',
    messages: [
      { role: 'user', id: 'q', content: 'Why?' },
      { role: 'assistant', id: 'a', content: '', model: 'm', status: 'streaming', ...answer },
    ],
  }
}

let stored: Map<string, Conversation>
let texts: Map<string, string>
let requests: { method: string; path: string; body: unknown }[]
let balances: number[]
let nowMs: number
let drawings: ExchangeInput[] = []
let drawn: ExchangeResult = { status: 'completed', answer: EMPTY_ANSWER, error: null }
let respond: () => Response | Promise<Response>
/** What was scheduled to be saved while an answer came in. */
let drafts: (() => Conversation | null)[]
let saveCount = 0

function createEngine() {
  const pending = createPendingExchanges(
    {
      read: key => texts.get(key) ?? null,
      write: (key, text) => Boolean(texts.set(key, text)),
      remove: key => texts.delete(key),
    },
    () => nowMs,
  )
  const live = createLiveAnswers(task => task())
  const save = (conversation: Conversation) => {
    saveCount += 1
    return Boolean(stored.set(conversation.id, conversation))
  }
  const ports: ChatPorts = {
    world: {
      fetch: async (path, init) => {
        requests.push({ method: init.method ?? 'GET', path, body: JSON.parse(String(init.body ?? 'null')) })
        return respond()
      },
      wait: () => Promise.resolve(),
      onWake: () => () => {},
      now: () => nowMs,
    },
    conversations: {
      get: id => stored.get(id) ?? null,
      saveConversation: save,
      scheduleSave: (_, readDraft) => drafts.push(readDraft),
    },
    pending,
    live,
    readCreditId: () => 'credit',
    readContextTokenCountMax: () => 2048,
    withLock: (_, task) => task(),
    resolveParts: { picture: async url => url, document: async () => null },
    drawing: {
      buildBody: async (conversation, answerId) => JSON.stringify([conversation.id, answerId]),
      run: (input, observer) => {
        drawings.push(input)
        observer.onExchangeId('drawn')
        return { stop: () => {}, ended: Promise.resolve(drawn) }
      },
    },
    keepPicture: async () => 'image:1',
    onBalance: balance => balances.push(balance),
    createUuid: () => 'uuid',
    createResumeKey: () => 'resume',
    nowMs: () => nowMs,
  }
  return { engine: new ChatEngine(ports), pending, live }
}

function answerOf() {
  return stored.get('c')?.messages.find(({ id }) => id === 'a')
}

function streamed(text: string) {
  return new Response(text, { headers: { 'x-exchange-id': 'exchange-1' } })
}

beforeEach(() => {
  saveCount = 0
  stored = new Map()
  texts = new Map()
  requests = []
  balances = []
  drafts = []
  drawings = []
  nowMs = 1_000_000
})

function ask() {
  const conversation = conversationWith({})
  stored.set('c', conversation)
  return createEngine().engine.ask(conversation, 'q', 'a')
}

describe('a picture', () => {
  const conversation = conversationWith({})

  test('is fetched by its own runner, and kept with its price', async () => {
    stored.set('c', conversation)
    const receipt = {
      cost_usd: '0.04',
      input_token_count: 0,
      output_token_count: 0,
      image_count: 1,
      estimated: false,
    }
    const answer = { ...EMPTY_ANSWER, imageUrls: ['data:image/png;base64,AAAA'], receipt, balanceUsd: '0.96' }
    drawn = { status: 'completed', answer, error: null }
    await createEngine().engine.ask(conversation, 'q', 'a', 'image')
    expect(requests).toEqual([])
    expect(drawings).toMatchObject([{ body: '["c","a"]', keys: { idempotencyKey: 'uuid' } }])
    expect(answerOf()).toMatchObject({
      status: 'completed',
      exchange_id: 'drawn',
      receipt,
      content: [{ type: 'image_url', image_url: { url: 'image:1' } }],
    })
    expect(balances).toEqual([0.96])
  })

  test('is asked for again after a reload, with the same key, while the server knows it', async () => {
    stored.set('c', conversation)
    const { engine, pending } = createEngine()
    const left = {
      conversationId: 'c',
      messageId: 'a',
      idempotencyKey: 'first',
      resumeKey: 'resume',
      exchangeId: 'drawn',
      startedAtMs: nowMs,
      kind: 'image' as const,
    }
    pending.put(left)
    await engine.resumeAll()
    expect(drawings).toMatchObject([{ keys: { idempotencyKey: 'first' } }])

    stored.set('c', conversation)
    pending.put(left)
    nowMs += 10 * 60_000
    await engine.resumeAll()
    expect(drawings).toHaveLength(1)
    expect(pending.list()).toEqual([])
  })

  test('that an earlier version’s answer is mistaken for does not exist', () => {
    const { pending } = createEngine()
    const old = { conversationId: 'c', messageId: 'a', idempotencyKey: 'i', resumeKey: 'r' }
    texts.set('pendingExchanges', JSON.stringify([{ ...old, exchangeId: null, startedAtMs: nowMs }]))
    expect(pending.find('a')).toMatchObject({ kind: 'chat' })
  })
})

describe('a question', () => {
  test('that the balance does not reach leaves the conversation as it was before, with both amounts', async () => {
    respond = () =>
      Response.json(
        { error: { code: 'insufficient_credit', required_usd: '0.01', available_usd: '0' } },
        { status: 402 },
      )
    await expect(ask()).resolves.toEqual({ requiredUsd: '0.01', availableUsd: '0' })
    expect(stored.get('c')?.messages).toEqual([])
    expect(texts.size).toBe(0)
  })

  test('that is refused stays, and its answer says that nothing was charged', async () => {
    respond = () => Response.json({ error: { code: 'upstream_error' } }, { status: 502 })
    await expect(ask()).resolves.toBeNull()
    expect(stored.get('c')?.messages).toHaveLength(2)
    expect(answerOf()).toMatchObject({
      status: 'failed',
      error_code: 'upstream_error',
      receipt: { cost_usd: '0' },
    })
  })

  test('whose answer broke off without a word from the server claims no price', async () => {
    respond = () => Promise.reject(new TypeError('Failed to fetch'))
    await ask()
    expect(answerOf()).toMatchObject({ status: 'failed', error_code: 'connection_lost' })
    expect(answerOf()?.receipt).toBeUndefined()
  })

  test('has its first words in the draft, and none once it is over; the list is written once, at the end', async () => {
    const body = new TransformStream<Uint8Array, Uint8Array>()
    const writer = body.writable.getWriter()
    const send = (text: string) => writer.write(new TextEncoder().encode(text))
    respond = () => new Response(body.readable, { headers: { 'x-exchange-id': 'exchange-1' } })
    const asked = ask()
    await send(delta('Be'))
    while (drafts.length === 0) await new Promise(setImmediate)
    expect(drafts[0]?.()?.messages[1]).toMatchObject({
      content: 'Be',
      status: 'streaming',
      exchange_id: 'exchange-1',
    })
    expect(saveCount).toBe(0)
    await send(delta('cause.') + USAGE + DONE)
    await writer.close()
    await asked
    expect(saveCount).toBe(1)
    expect(drafts.map(readDraft => readDraft())).toEqual(drafts.map(() => null))
  })

  test('ends in its message with text, cost and balance, and leaves no secret behind', async () => {
    respond = () => streamed(delta('Be') + delta('cause.') + USAGE + DONE)
    await ask()
    expect(answerOf()).toMatchObject({
      content: 'Because.',
      status: 'completed',
      exchange_id: 'exchange-1',
      receipt: { cost_usd: '0.00042', input_token_count: 3, output_token_count: 2, estimated: false },
    })
    expect(balances).toEqual([0.5])
    expect(texts.size).toBe(0)
    expect(requests[0]?.body).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'Why?' }],
      stream: true,
    })
  })

  test('in a conversation deleted meanwhile brings nothing back', async () => {
    respond = () => {
      stored.delete('c')
      return streamed(delta('Be') + DONE)
    }
    await ask()
    expect(stored.size).toBe(0)
  })

  test('is answered with a picture that is put away, not stored in the message', async () => {
    const image = '{"choices":[{"delta":{"images":[{"image_url":{"url":"data:image/png;base64,AA=="}}]}}]}'
    respond = () => streamed(`data: ${image}\n\n${DONE}`)
    await ask()
    expect(answerOf()?.content).toMatchObject([{ type: 'image_url', image_url: { url: 'image:1' } }])
  })
})

describe('after a reload', () => {
  const PENDING = {
    conversationId: 'c',
    messageId: 'a',
    idempotencyKey: 'i',
    resumeKey: 'r',
    startedAtMs: 999_000,
  }

  test('an answer on its way is fetched again and completed', async () => {
    stored.set('c', conversationWith({ content: 'Be', exchange_id: 'exchange-1' }))
    texts.set('pendingExchanges', JSON.stringify([{ ...PENDING, exchangeId: 'exchange-1' }]))
    respond = () => streamed(delta('Be') + delta('cause.') + USAGE + DONE)
    await createEngine().engine.resumeAll()
    expect(requests.map(({ method, path }) => [method, path])).toEqual([
      ['GET', '/v1/chat/completions/exchange-1'],
    ])
    expect(answerOf()).toMatchObject({ content: 'Because.', status: 'completed' })
  })

  test('what was read stays when the server no longer has the rest', async () => {
    stored.set('c', conversationWith({ content: 'Be', exchange_id: 'exchange-1' }))
    texts.set('pendingExchanges', JSON.stringify([{ ...PENDING, exchangeId: 'exchange-1' }]))
    respond = () => Response.json({ error: { code: 'not_found' } }, { status: 404 })
    await createEngine().engine.resumeAll()
    expect(answerOf()).toMatchObject({ content: 'Be', status: 'failed', error_code: 'rest_lost' })
    expect(answerOf()?.receipt).toBeUndefined()
  })

  test('a request that was never answered is repeated under its key, but not an hour later', async () => {
    stored.set('c', conversationWith({}))
    texts.set('pendingExchanges', JSON.stringify([{ ...PENDING, exchangeId: null }]))
    respond = () => streamed(delta('Because.') + DONE)
    nowMs += 60 * 60_000
    const { engine } = createEngine()
    await engine.resumeAll()
    expect(requests).toEqual([])
    await engine.closeOrphan('c', 'a')
    expect(answerOf()).toMatchObject({ status: 'failed', error_code: 'rest_lost' })

    nowMs = 1_000_000
    stored.set('c', conversationWith({}))
    texts.set('pendingExchanges', JSON.stringify([{ ...PENDING, exchangeId: null }]))
    await engine.resumeAll()
    expect(requests.map(({ method }) => method)).toEqual(['POST'])
    expect(answerOf()).toMatchObject({ content: 'Because.', status: 'completed' })
  })

  test('an answer that another tab has completed meanwhile is left alone', async () => {
    stored.set('c', conversationWith({ content: 'Done', status: 'completed' }))
    texts.set('pendingExchanges', JSON.stringify([{ ...PENDING, exchangeId: 'exchange-1' }]))
    await createEngine().engine.resumeAll()
    expect(requests).toEqual([])
    expect(texts.size).toBe(0)
  })

  test('damaged notes about pending answers are nothing to fall over', async () => {
    for (const text of ['{', '7', '[null]', '[{"messageId":1}]']) {
      texts.set('pendingExchanges', text)
      await createEngine().engine.resumeAll()
    }
    expect(requests).toEqual([])
  })
})
