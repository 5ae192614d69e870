import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { createFakeBrowser } from '../testing'
import { isPrompt, type Prompt } from './prompt'
import { createPromptStore, PROMPTS_LENGTH_MAX } from './prompt-store'

const prompt = (id: string, fields: Partial<Prompt> = {}): Prompt => ({
  id,
  name: id,
  content: `Do ${id}`,
  updated_at: '2026-11-22T00:00:00.000Z',
  ...fields,
})

function setUp(text?: string) {
  const browser = createFakeBrowser()
  if (text !== undefined) browser.area.setItem('prompts', text)
  return { browser, store: createPromptStore(browser.openTab().storage) }
}
const ids = (prompts: readonly Prompt[]) => prompts.map(({ id }) => id)

test('new prompts come first, changed ones stay in place, and tabs keep each other’s changes', () => {
  const { browser, store } = setUp()
  const other = createPromptStore(browser.openTab().storage)
  let changes = 0
  other.subscribe(() => {
    changes += 1
  })
  store.put([prompt('a')])
  other.put([prompt('b')])
  store.put([prompt('a', { name: 'A' })])
  store.put([prompt('c')])
  browser.deliver()
  expect(ids(other.getSnapshot())).toEqual(['c', 'b', 'a'])
  expect(other.getSnapshot()[2]?.name).toBe('A')
  expect(changes).toBeGreaterThan(1)
  store.remove('b')
  expect(ids(store.getSnapshot())).toEqual(['c', 'a'])
  expect(store.getSnapshot()).toBe(store.getSnapshot())
})

test('only unreadable data is set aside', () => {
  const damaged = [prompt('a', { temperature: 9 }), { id: 'b' }, prompt('c', { content: ' ' })]
  const { browser, store } = setUp(JSON.stringify([prompt('whole'), ...damaged]))
  expect(ids(store.getSnapshot())).toEqual(['whole'])
  store.put([prompt('new')])
  expect(ids(JSON.parse(browser.area.getItem('prompts') ?? '[]'))).toEqual(['new', 'whole'])
  expect(JSON.parse(browser.area.getItem('prompts.damaged.1') ?? '[]')).toEqual(damaged)
  const broken = setUp('[{"id"')
  expect(broken.store.getSnapshot()).toEqual([])
  expect(broken.browser.area.getItem('prompts.damaged.1')).toBe('[{"id"')
})

test('fields of a newer version are kept', () => {
  const later = { ...prompt('a'), tags_of_version_9: ['x'] }
  const { browser, store } = setUp(JSON.stringify([later]))
  store.put([prompt('b')])
  expect(JSON.parse(browser.area.getItem('prompts') ?? '[]')[1]).toEqual(later)
})

test('an import without room is refused as a whole', () => {
  const { browser, store } = setUp()
  store.put([prompt('a')])
  const many = Array.from({ length: PROMPTS_LENGTH_MAX / 20_000 }, (_, index) =>
    prompt(`b${index}`, { content: 'x'.repeat(20_000) }),
  )
  expect(store.put(many)).toBe(false)
  expect(ids(store.getSnapshot())).toEqual(['a'])
  expect(browser.area.getItem('prompts')).not.toContain('b0')
})

test('no other value is accepted as a prompt', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('id', 'name', 'content', 'model', 'temperature', 'max_tokens', 'updated_at'),
      fc.jsonValue(),
      (field, value) => {
        const changed = { ...prompt('a'), [field]: value }
        if (!isPrompt(changed)) return
        expect(typeof changed.name).toBe('string')
        expect(changed.content.trim()).not.toBe('')
        expect(['undefined', 'number']).toContain(typeof changed.temperature)
        expect(['undefined', 'string']).toContain(typeof changed.model)
      },
    ),
  )
})
