/** @jest-environment jsdom */
import 'fake-indexeddb/auto'
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { useRef, useState } from 'react'
import type { ChatModel } from '@/components/chat/chat-model'
import { type Draft, EMPTY_DRAFT } from '@/components/chat/draft-store'
import { MessageBox } from '@/components/chat/message-box'
import { newChatSteering } from '@/components/chat/steering-store'
import { chatModel } from '@/components/chat/testing'
import { noticeStore } from '@/lib/local/notice/notice-store'
import type { Prompt } from '@/lib/local/prompts/prompt'
import { promptStore } from '@/lib/local/prompts/prompt-store'
import { renderInEnglish, stubDialogs } from '@/test/support/render'
import { ChatPrompts } from './chat-prompts'
import { type OpenPromptDialog, promptDialogStore } from './prompt-dialog-store'
import { SlashPrompts } from './slash-prompts'

const MODEL = chatModel({
  name: 'Model M',
  prices: { prompt: '0.0001', completion: '0.0002' },
  controls: { temperature: true, outputTokensMax: 8_000, efforts: ['high', 'low'] },
})
const PLAIN: ChatModel = {
  ...MODEL,
  controls: { temperature: false, outputTokensMax: null, efforts: [] },
}

const prompt = (name: string, content: string, fields: Partial<Prompt> = {}): Prompt => ({
  id: name,
  name,
  content,
  updated_at: '2026-11-22T00:00:00.000Z',
  ...fields,
})

const onDraft = jest.fn<(draft: Draft) => void>()
const onStart = jest.fn()
const onModel = jest.fn()

function show(dialog: OpenPromptDialog, { model = MODEL, text = '' } = {}) {
  renderInEnglish(
    <ChatPrompts
      dialog={dialog}
      conversation={null}
      model={model}
      models={[MODEL]}
      draft={{ ...EMPTY_DRAFT, text }}
      onDraft={onDraft}
      onModel={onModel}
      onStart={onStart}
    />,
  )
}
const press = (name: string | RegExp) => fireEvent.click(screen.getByRole('button', { name }))
const choose = (name: string) => fireEvent.click(screen.getByRole('menuitem', { name }))
const type = (label: string | RegExp, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } })

beforeEach(() => {
  localStorage.clear()
  sessionStorage.clear()
  stubDialogs()
  newChatSteering.set({})
  promptDialogStore.set('closed')
  noticeStore.hide()
  jest.clearAllMocks()
})
afterEach(cleanup)

describe("a chat's instructions", () => {
  test('are kept when the dialog disappears without closing', () => {
    show('chat')
    type('Instructions', 'Of bread alone')
    cleanup()
    expect(newChatSteering.getSnapshot()).toMatchObject({ system_prompt: 'Of bread alone' })
  })

  test('are saved however the dialog is closed, and show their cost', () => {
    show('chat')
    type('Instructions', 'Be brief. '.repeat(20))
    expect(screen.getByText(/Adds about .* to every message with Model M/)).toBeTruthy()
    type(/^Temperature/, '0.3')
    type(/^Longest answer/, '5')
    expect(screen.getByRole('alert').textContent).toContain('from 16 to 8,000')
    type(/^Effort/, 'low')
    press('Close')
    expect(newChatSteering.getSnapshot()).toEqual({
      system_prompt: 'Be brief. '.repeat(20),
      temperature: 0.3,
      reasoning_effort: 'low',
    })
  })

  test('show only the controls that the model supports', () => {
    show('chat', { model: PLAIN })
    expect(screen.queryByLabelText(/^Temperature/)).toBeNull()
    expect(screen.queryByLabelText(/^Effort/)).toBeNull()
    expect(screen.getByLabelText(/^Longest answer/)).toBeTruthy()
    cleanup()
    show('chat', { model: { ...MODEL, draws: true } })
    expect(screen.queryByRole('textbox')).toBeNull()
    expect(screen.getByText(/draws from your message alone/)).toBeTruthy()
  })

  test('that were not changed are not written', () => {
    const listener = jest.fn()
    const unsubscribe = newChatSteering.subscribe(listener)
    show('chat')
    press('Done')
    unsubscribe()
    expect(listener).not.toHaveBeenCalled()
  })
})

describe('the prompts', () => {
  test('can be created, edited and used, and a deleted one restored', () => {
    show('prompts')
    press('New prompt')
    press('Save')
    expect(screen.getAllByRole('alert').map(({ textContent }) => textContent)).toContain('Enter a name.')
    type('Name', 'Sum up')
    type(/^Prompt$/, 'Sum up this text:')
    press('Save')
    press('More for Sum up')
    choose('Edit')
    type('Name', 'Summary')
    press('Save')
    expect(promptStore.getSnapshot()).toMatchObject([{ name: 'Summary', content: 'Sum up this text:' }])
    press('More for Summary')
    choose('Delete')
    expect(promptStore.getSnapshot()).toEqual([])
    act(() => noticeStore.getSnapshot().action?.run())
    press('Insert Summary')
    expect(onDraft).toHaveBeenCalledWith({ ...EMPTY_DRAFT, text: 'Sum up this text:' })
  })

  test('with variables are filled in first, and inserted after the draft', () => {
    promptStore.put([
      prompt(
        'Letter',
        'To {{name | text:required}} in {{tone | select:options=["kind","firm"]:default="kind"}} words',
      ),
    ])
    show('prompts', { text: 'Hello' })
    press('Insert Letter')
    press('Use')
    expect(onDraft).not.toHaveBeenCalled()
    type('name', 'Ann')
    press('Use')
    expect(onDraft).toHaveBeenCalledWith({ ...EMPTY_DRAFT, text: 'Hello\n\nTo Ann in kind words' })
  })

  test('that are closed while they are written can be brought back', () => {
    promptStore.put([prompt('Captain', 'Answer like a captain.')])
    show('prompts')
    press('More for Captain')
    choose('Edit')
    type('Prompt', 'Answer like a captain of the high seas.')
    press('Close')
    expect(noticeStore.getSnapshot()).toMatchObject({ hidden: false, text: 'Prompt not saved' })
    noticeStore.getSnapshot().action?.run()
    const opened = promptDialogStore.getSnapshot()
    if (opened === 'closed') throw new Error('Nothing was opened.')
    cleanup()
    show(opened)
    press('Save')
    expect(promptStore.getSnapshot()).toMatchObject([
      { id: 'Captain', content: 'Answer like a captain of the high seas.' },
    ])
  })

  test.each(['Save', 'Back to the prompts'])('that were left by “%s” are not called unsaved', name => {
    promptStore.put([prompt('Captain', 'Answer like a captain.')])
    show('prompts')
    press('More for Captain')
    choose('Edit')
    type('Prompt', 'Answer like a cabin boy.')
    press(name)
    press('Close')
    expect(noticeStore.getSnapshot().hidden).toBe(true)
  })

  test('with a model start a chat with that model and their instructions', () => {
    promptStore.put([prompt('Captain', 'Answer like a captain.', { model: 'm', temperature: 1 })])
    show('prompts')
    press('Start a chat with Captain')
    expect(onStart).toHaveBeenCalledWith(
      expect.objectContaining({ system_prompt: 'Answer like a captain.', temperature: 1 }),
      'm',
    )
    press('More for Captain')
    choose('Use as this chat’s instructions')
    expect(newChatSteering.getSnapshot()).toMatchObject({ temperature: 1 })
    expect(onModel).toHaveBeenCalledWith('m')
    expect(promptDialogStore.getSnapshot()).toBe('chat')
  })

  test('with an unavailable model are used without it, with a notice', () => {
    promptStore.put([prompt('Old', 'x', { model: 'gone' })])
    show('prompts')
    press('Start a chat with Old')
    expect(onStart).toHaveBeenCalledWith(expect.objectContaining({ system_prompt: 'x' }), null)
    expect(noticeStore.getSnapshot().text).toContain('gone is not offered here')
  })

  test('keep the focus on the button that replaces “Import a file”', async () => {
    show('prompts')
    const file = new File([''], 'prompts.csv')
    Reflect.set(file, 'text', async () => 'act,prompt\nA,a')
    screen.getByRole('button', { name: 'Import a file' }).focus()
    await act(async () =>
      fireEvent.change(screen.getByLabelText('Import a file', { selector: 'input' }), {
        target: { files: [file] },
      }),
    )
    await waitFor(() => expect(document.activeElement?.getAttribute('aria-label')).toBe('Import and export'))
  })

  test('are imported from a file: a few at once, or a selection of many', async () => {
    promptStore.put([prompt('A', 'a')])
    show('prompts')
    const importFile = async (text: string | Error) => {
      const file = new File([], 'prompts.csv')
      Reflect.set(file, 'text', () => (text instanceof Error ? Promise.reject(text) : Promise.resolve(text)))
      await act(async () =>
        fireEvent.change(screen.getByLabelText('Import a file'), { target: { files: [file] } }),
      )
    }
    await importFile(new DOMException('It was moved meanwhile.', 'NotReadableError'))
    expect(noticeStore.getSnapshot().text).toBe('prompts.csv is damaged or cannot be read. Try another copy.')
    await importFile('hello')
    expect(noticeStore.getSnapshot().text).toContain('neither a CSV file')
    await importFile('act,prompt\nA,a\nB,b\nB,b')
    expect(promptStore.getSnapshot().map(({ name }) => name)).toEqual(['B', 'A'])
    const many = Array.from({ length: 150 }, (_, index) => `Many ${index},words ${index}`)
    await importFile(`act,prompt\n${many.join('\n')}\nEmpty,`)
    expect(screen.getByText(/150 prompts in this file are new/)).toBeTruthy()
    expect(screen.getAllByRole('checkbox')).toHaveLength(100)
    type('Search prompts', 'words 149')
    fireEvent.click(await screen.findByRole('checkbox', { name: /Many 149/ }))
    press('Add 1 prompt')
    expect(promptStore.getSnapshot().map(({ name }) => name)).toEqual(['Many 149', 'B', 'A'])
  })
})

const onSend = jest.fn()

function Box() {
  const boxRef = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState('')
  return (
    <>
      <SlashPrompts boxRef={boxRef} text={text} onText={setText} />
      <MessageBox ref={boxRef} text={text} onText={setText} onSend={onSend} />
    </>
  )
}
describe('a slash in the message box', () => {
  const box = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Message' })
  const key = (name: string) => fireEvent.keyDown(box(), { key: name })

  beforeEach(() => {
    promptStore.put([
      prompt('Translate', 'Translate this:'),
      prompt('Tidy up', 'Tidy this text:'),
      prompt('Ask {{}}', 'About {{topic}}?'),
      prompt('Résumé', 'Résume ce texte.'),
    ])
    renderInEnglish(<Box />)
  })

  test('offers prompts by name, and Enter inserts the chosen one without sending', () => {
    type('Message', '/t')
    const options = within(screen.getByRole('listbox', { name: 'Prompts' })).getAllByRole('option')
    expect(options).toHaveLength(2)
    key('ArrowDown')
    const active = box().getAttribute('aria-activedescendant') ?? ''
    expect(document.getElementById(active)?.getAttribute('aria-selected')).toBe('true')
    expect(document.getElementById(active)?.textContent).toContain('Tidy up')
    key('Enter')
    expect(box().value).toBe('Tidy this text:')
    expect(box().hasAttribute('aria-activedescendant')).toBe(false)
    expect(onSend).not.toHaveBeenCalled()
  })

  test('finds a name without the accents it is written with', () => {
    type('Message', '/resu')
    expect(screen.getByRole('option').textContent).toContain('Résumé')
  })

  test('is sent as text after Escape, or if no prompt matches', () => {
    type('Message', '/ti')
    key('Escape')
    expect(screen.queryByRole('listbox')).toBeNull()
    key('Enter')
    type('Message', '/etc/hosts')
    key('Enter')
    expect(onSend).toHaveBeenCalledTimes(2)
  })

  test('before a prompt with variables opens the form for them', () => {
    type('Message', '/ask')
    key('Tab')
    expect(promptDialogStore.getSnapshot()).toMatchObject({ fill: { name: 'Ask {{}}' } })
    expect(box().value).toBe('')
  })
})
