import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { Conversation, Message } from '../domain/conversation'
import {
  addTurns,
  allMessages,
  findTurn,
  pathTo,
  removeMessages,
  replaceMessage,
  showTurn,
} from '../domain/turns'
import { createFakeBrowser, createTestClock, openConversations } from '../testing'

const TAB_COUNT = 3
const CONVERSATION_IDS = ['a', 'b'] as const
type ConversationId = (typeof CONVERSATION_IDS)[number]

interface Turn {
  readonly conversationId: ConversationId
  readonly number: number
  /** Whether it has to exist in the end: it was neither removed nor in a conversation that was deleted later. */
  isKept: boolean
  isTakenBack: boolean
  isFinished: boolean
}

/** Several tabs of one browser, with what each knows and what each has in hand. */
class Tabs {
  readonly browser = createFakeBrowser(undefined, { isLagging: true })
  readonly now = createTestClock()
  readonly tabs = Array.from({ length: TAB_COUNT }, () => this.#open())
  readonly turns: Turn[] = []
  readonly titles = new Map<ConversationId, string | undefined>()
  readonly prompts = new Map<ConversationId, string | undefined>()

  hasClosedOne = false

  #open() {
    const held = new Map<ConversationId, Conversation>()
    const running: Turn[] = []
    const tab = openConversations(this.browser.openTab(), this.now)
    tab.repository.snapshot()
    return { ...tab, held, running }
  }

  step({ tab: index, act, id, isSelected }: Step, number: number): void {
    const tab = this.tabs[index]
    if (!tab) return
    const { repository, held, running } = tab
    const current = repository.get(id)
    const turn = running.findLast(one => one.conversationId === id)
    switch (act) {
      case 'deliver':
        this.browser.deliver()
        return
      case 'review':
        tab.review()
        return
      case 'look':
        if (current) held.set(id, current)
        return
      case 'show': {
        const all = current ? allMessages(current) : []
        const shownId = all[number % Math.max(1, all.length)]?.id
        if (current && shownId) repository.save(showTurn(current, shownId), isSelected)
        return
      }
      case 'ask':
      case 'branch': {
        const base = held.get(id) ?? current ?? { id, created_at: '2026-11-20T00:00:00.000Z', messages: [] }
        held.delete(id)
        const asked = { conversationId: id, number, isKept: true, isTakenBack: false, isFinished: false }
        this.turns.push(asked)
        running.push(asked)
        const at = act === 'ask' ? base.messages.length : number % (base.messages.length + 1)
        repository.save(addTurns(base, base.messages[at - 1]?.id ?? null, messagesOf(asked)), isSelected)
        return
      }
      case 'draft':
        if (turn && current) repository.saveDraft(replaceMessage(current, answerOf(turn, 'Be')), isSelected)
        return
      case 'finish':
        if (!turn || !current || !findTurn(current, `answer ${turn.number}`)) return
        running.splice(running.indexOf(turn), 1)
        turn.isFinished = true
        repository.save(replaceMessage(current, answerOf(turn, 'Because.', 'completed')), isSelected)
        return
      case 'takeBack':
        // What another tab has still in hand of a deleted conversation cannot be taken back before it is back here.
        if (!turn || !current || !findTurn(current, `question ${turn.number}`)) return
        running.splice(running.indexOf(turn), 1)
        turn.isTakenBack = true
        // It would deliberately restore what it still had in hand.
        held.delete(id)
        turn.isKept = false
        repository.save(
          removeMessages(
            current,
            messagesOf(turn).map(({ id }) => id ?? ''),
          ),
          isSelected,
        )
        return
      case 'rename':
        if (!current) return
        this.titles.set(id, `title ${number}`)
        repository.save({ ...current, title: `title ${number}` }, isSelected)
        return
      case 'steer':
        if (!current) return
        this.prompts.set(id, `prompt ${number}`)
        repository.save({ ...current, system_prompt: `prompt ${number}` }, isSelected)
        return
      case 'delete':
        if (!current) return
        for (const one of this.turns) if (one.conversationId === id) one.isKept = false
        this.titles.set(id, undefined)
        this.prompts.set(id, undefined)
        repository.remove([id])
        return
      case 'close':
        // At least one tab has to stay that learns of it.
        if (index === 0) return
        this.hasClosedOne = true
        this.tabs[index] = this.#open()
    }
  }

  settle(): void {
    for (let round = 0; round < 8; round += 1) {
      this.browser.deliver()
      for (const { review } of this.tabs) review()
    }
  }

  check(): void {
    const reopened = this.#open().repository.snapshot()
    for (const { repository } of this.tabs) expect(repository.snapshot()).toEqual(reopened)
    for (const turn of this.turns) {
      const { conversationId, number, isKept, isTakenBack, isFinished } = turn
      const conversation = reopened.find(({ id }) => id === conversationId)
      const messages = conversation ? allMessages(conversation) : []
      const answer = messages.find(({ id }) => id === `answer ${number}`)
      const count = messages.filter(({ id }) => id === `question ${number}`).length
      if (isKept) expect(count).toBe(1)
      // The record of the removal may be lost with its tab.
      if (isTakenBack && !this.hasClosedOne) expect([count, answer]).toEqual([0, undefined])
      if (isKept && isFinished) expect(answer).toMatchObject({ status: 'completed', content: 'Because.' })
      // A question is followed by its own answer, whoever else asked meanwhile.
      const path = conversation ? pathTo(conversation, `answer ${number}`) : []
      if (isKept) expect(path.at(-2)?.id).toBe(`question ${number}`)
    }
    const isKept = (id: string) => this.turns.some(one => one.conversationId === id && one.isKept)
    const find = (id: string) => reopened.find(one => one.id === id)
    for (const [id, title] of this.titles) {
      if (title !== undefined && isKept(id)) expect(find(id)?.title).toBe(title)
    }
    for (const [id, prompt] of this.prompts) {
      if (prompt !== undefined && isKept(id)) expect(find(id)?.system_prompt).toBe(prompt)
    }
  }
}

function answerOf({ number }: Turn, content: string, status: Message['status'] = 'streaming'): Message {
  return { role: 'assistant', id: `answer ${number}`, content, status }
}

function messagesOf(turn: Turn): Message[] {
  return [{ role: 'user', id: `question ${turn.number}`, content: 'Why?' }, answerOf(turn, '')]
}

const ACTS = [
  'ask',
  'ask',
  'branch',
  'show',
  'look',
  'draft',
  'finish',
  'takeBack',
  'rename',
  'steer',
  'delete',
  'deliver',
  'review',
  'close',
] as const

const step = fc.record({
  tab: fc.nat(TAB_COUNT - 1),
  act: fc.constantFrom(...ACTS),
  id: fc.constantFrom(...CONVERSATION_IDS),
  isSelected: fc.boolean(),
})
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

const asks = (tab: number): Step => ({ tab, act: 'ask', id: 'a', isSelected: false })

test('a question just received from another tab can be deleted for good', () => {
  const browser = createFakeBrowser(undefined, { isLagging: true })
  // Both start the conversation at the same moment, so that what arrives has no newer time.
  const now = () => new Date('2026-11-20T12:00:00.000Z')
  const [here, there] = [0, 1].map(() => openConversations(browser.openTab(), now).repository)
  const asks = (repository: typeof here, id: string) =>
    repository?.save({ id: 'a', created_at: '', messages: [{ id, role: 'user', content: id }] }, false)
  asks(here, 'mine')
  asks(there, 'theirs')
  browser.deliver()
  const before = here?.get('a')
  expect(allMessages(before ?? { messages: [] })).toHaveLength(2)
  if (before) here?.save(removeMessages(before, ['theirs']), false, before)
  expect(allMessages(here?.get('a') ?? { messages: [] }).map(({ id }) => id)).toEqual(['mine'])
})

test('parallel changes in several tabs keep every question and finished answer, in one order', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), steps => {
      const tabs = new Tabs()
      steps.forEach((one, number) => {
        tabs.step(one, number)
      })
      tabs.settle()
      tabs.check()
    }),
    {
      numRuns: 2000,
      examples: [
        // One asks with the state from before it learned of the other's first question.
        [[asks(0), asks(1), { ...asks(1), act: 'look' }, { ...asks(0), act: 'deliver' }, asks(1)]],
        // One deletes the conversation in which the other asks.
        [
          [
            asks(0),
            ...(['delete', 'deliver', 'takeBack'] as const).flatMap(act => [{ ...asks(0), act }, asks(1)]),
          ],
        ],
        // One finishes an answer, and the other renames the conversation before it hears of that.
        [
          [
            asks(0),
            { ...asks(0), act: 'deliver' },
            { ...asks(0), act: 'finish' },
            { ...asks(1), act: 'rename' },
          ],
        ],
      ],
    },
  )
})
