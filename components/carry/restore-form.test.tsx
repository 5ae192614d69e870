/** @jest-environment jsdom */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { createPendingExchanges } from '@/lib/exchange/client/pending-exchanges'
import { creditIdFirstSegment, creditIdStore } from '@/lib/local/credit-id'
import { creditReplacementStore } from '@/lib/local/credit-replacement'
import { creditIdToWords } from '@/lib/local/credit-words'
import { complaints } from '@/test/support/complaints'
import { fakeServer, press, renderInEnglish } from '@/test/support/render'
import { RestoreSection } from './carry-section'
import { CreditBackup } from './credit-backup'
import { RestoreForm } from './restore-form'

const HELD = '0b0e7c9e-5d3c-4a53-9d5c-2f1d5f3f6a01'
const UNKNOWN = '11111111-2222-4333-8444-555555555555'
/** A new one for each test, since the page caches balances for four seconds. */
let restoredId = ''
let held = ''
let heldUsd = 0
let linkAnswer: ReturnType<Parameters<typeof fakeServer>[0]>
let calls: ReturnType<typeof fakeServer>

beforeEach(() => {
  localStorage.clear()
  restoredId = crypto.randomUUID()
  held = crypto.randomUUID()
  heldUsd = 3
  linkAnswer = { json: { revoked: true } }
  calls = fakeServer(({ path }) => {
    if (path === '/accounts/merge') {
      heldUsd = 0
      return { json: { moved_usd: 3, balance: 5 } }
    }
    if (path === '/topup/refill/link') return linkAnswer
    const creditId = path.split('/')[4]
    if (creditId === UNKNOWN) return { status: 404, json: { error: 'Not Found' } }
    return {
      json: { credit_id: creditId, amount_usd: creditId === HELD ? 1 : creditId === held ? heldUsd : 2 },
    }
  })
})
afterEach(cleanup)

async function restore(text: string) {
  renderInEnglish(<RestoreForm />)
  fireEvent.change(screen.getByLabelText('12 words or credit key'), { target: { value: text } })
  await press('Restore')
}

test.each([
  ['what is no secret', 'Lorem ipsum', /neither the 12 words/],
  ['too few words', 'abandon ability able', /These are 3 words; it takes 12/],
  ['a credit that the server does not know', UNKNOWN, /No credit matches/],
])('%s is refused with a message, and nothing is changed', async (_what, text, message) => {
  await restore(text)
  expect(await screen.findByText(message)).toBeDefined()
  expect(creditIdStore.getSnapshot()).toBeNull()
  expect(complaints.splice(0)).toEqual(text === UNKNOWN ? ['Balance: 404'] : [])
})

test('who is to take over a credit is told, before anything is typed, that its giver can spend it', () => {
  renderInEnglish(<RestoreSection />)
  const section = screen.getByRole('region', { name: 'Use a credit you already have' })
  expect(section.textContent).toContain('whoever gave you words or a key can spend that credit')
})

test('where the browser refuses to keep a credit, its words stay to be restored later', async () => {
  const reported = jest.fn()
  // jsdom lacks it.
  Reflect.set(globalThis, 'reportError', reported)
  const refused = jest.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('The file is corrupted.', 'UnknownError')
  })
  await restore(restoredId)
  await waitFor(() => expect(reported).toHaveBeenCalledTimes(1))
  expect(screen.getByLabelText<HTMLInputElement>('12 words or credit key').value).toBe(restoredId)
  refused.mockRestore()
  await press('Restore')
  expect(await screen.findByText('Credit restored.')).toBeDefined()
})

test('twelve words in another language restore the credit in an empty browser', async () => {
  await restore(await creditIdToWords(restoredId, 'it'))
  await waitFor(() => expect(creditIdStore.getSnapshot()).toBe(restoredId))
  expect(screen.getByText('Credit restored.')).toBeDefined()
})

test('restoring the credit that is already in this browser says so', async () => {
  creditIdStore.write(HELD)
  await restore(HELD.toUpperCase())
  expect(await screen.findByText('This credit is already in this browser.')).toBeDefined()
})

test('whoever replaces a credit with which an answer is being written is warned once', async () => {
  creditIdStore.write(held)
  createPendingExchanges(Date.now).put({
    conversationId: 'c',
    messageId: 'm',
    kind: 'chat',
    idempotencyKey: 'i',
    resumeKey: 'r',
    mostUsd: null,
    exchangeId: 'e',
    bodyHash: 'h',
    creditSegment: creditIdFirstSegment(held),
    isStopped: false,
    startedAtMs: Date.now(),
  })
  await restore(restoredId)
  fireEvent.click(await screen.findByRole('checkbox', { name: /have a copy/ }))
  await press('Replace it')
  expect(screen.getByText(/still being written with the credit that is here/)).toBeDefined()
  expect(creditIdStore.getSnapshot()).toBe(held)
  await press('Replace it')
  expect(creditIdStore.getSnapshot()).toBe(restoredId)
})

test('of an existing credit to which money of a replaced one still follows, that is said', async () => {
  creditIdStore.write(held)
  creditReplacementStore.put({ fromCreditId: HELD, intoCreditId: held, state: 'moving' })
  await restore(restoredId)
  expect((await screen.findByText(/There is room for one/)).textContent).toContain(
    'still on its way to the one that is here',
  )
})

test('an existing credit is replaced only after its words were shown and the person confirmed', async () => {
  creditIdStore.write(HELD)
  await restore(restoredId)
  expect(document.activeElement).toBe(await screen.findByText(/already holds another credit/))
  const words = await creditIdToWords(HELD, 'en')
  const list = await screen.findByRole('list', { name: 'The 12 words, in order' })
  expect([...list.children].map(item => item.textContent).join(' ')).toBe(words)
  // The request for a copy is right above it.
  expect(list.parentElement?.previousElementSibling?.textContent).toMatch(
    /first keep a copy of it: payments that are still open/,
  )

  const replace = screen.getByRole('button', { name: 'Replace it' })
  fireEvent.click(replace)
  expect(creditIdStore.getSnapshot()).toBe(HELD)
  fireEvent.click(screen.getByRole('checkbox'))
  await act(async () => fireEvent.click(replace))
  expect(creditIdStore.getSnapshot()).toBe(restoredId)
})

test('a credit that another tab has put in its place meanwhile is replaced only after its own words were shown', async () => {
  creditIdStore.write(HELD)
  await restore(restoredId)
  fireEvent.click(await screen.findByRole('checkbox'))
  // As another tab does, whose event has not arrived here yet.
  localStorage.setItem('credit_id', held)
  await press('Replace it')
  expect(creditIdStore.getSnapshot()).toBe(held)
  const words = (await creditIdToWords(held, 'en')).split(' ')
  await waitFor(() => expect(screen.getAllByRole('listitem').map(item => item.textContent)).toEqual(words))
  fireEvent.click(screen.getByRole('checkbox', { checked: false }))
  await press('Replace it')
  expect(creditIdStore.getSnapshot()).toBe(restoredId)
})

test('a credit that another tab has taken in meanwhile is not asked about any more, nor its words left to be read', async () => {
  creditIdStore.write(HELD)
  await restore(restoredId)
  expect(await screen.findByText(/already holds another credit/)).toBeDefined()
  act(() => void creditIdStore.write(restoredId))
  expect(screen.queryByText(/already holds another credit/)).toBeNull()
  expect(screen.getByText('Credit restored.')).toBeDefined()
  expect(screen.getByLabelText<HTMLInputElement>('12 words or credit key').value).toBe('')
})

test('the person can keep the existing credit instead', async () => {
  creditIdStore.write(HELD)
  await restore(restoredId)
  await act(async () =>
    fireEvent.click(await screen.findByRole('button', { name: 'Keep the one that is here' })),
  )
  expect(creditIdStore.getSnapshot()).toBe(HELD)
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('12 words or credit key')))
})

test('the balance of the existing credit can be moved to the restored one', async () => {
  creditIdStore.write(held)
  await restore(restoredId)
  await act(async () => fireEvent.click(await screen.findByRole('button', { name: 'Take $3.00 along' })))
  await waitFor(() => expect(creditIdStore.getSnapshot()).toBe(restoredId))
  expect(calls).toContainEqual({
    method: 'POST',
    path: '/accounts/merge',
    authorization: `Bearer ${restoredId}`,
    body: { from_credit_id: held },
  })
  expect(await screen.findByText('Credit restored.')).toBeDefined()
})

test('the refill link of the replaced credit is revoked; if that fails, the credit is not replaced', async () => {
  creditIdStore.write(held)
  linkAnswer = { status: 503, json: { error: { code: 'ledger_unavailable' } } }
  await restore(restoredId)
  const take = await screen.findByRole('button', { name: 'Take $3.00 along' })
  await act(async () => fireEvent.click(take))
  expect(creditIdStore.getSnapshot()).toBe(held)
  linkAnswer = { status: 404, json: { error: { code: 'not_found' } } }
  await act(async () => fireEvent.click(take))
  await waitFor(() => expect(creditIdStore.getSnapshot()).toBe(restoredId))
  const ended = { method: 'DELETE', path: '/topup/refill/link', authorization: `Bearer ${held}` }
  expect(calls.filter(({ method }) => method === 'DELETE')).toMatchObject([ended, ended])
})

test('an empty existing credit is not offered to be moved', async () => {
  heldUsd = 0
  creditIdStore.write(held)
  await restore(restoredId)
  expect(await screen.findByText(/the one that is here has \$0.00/)).toBeDefined()
  expect(screen.queryByRole('button', { name: /along/ })).toBeNull()
})

const wordField = (place: number) => screen.getByRole<HTMLInputElement>('combobox', { name: `Word ${place}` })
const fieldWords = () => screen.getAllByRole<HTMLInputElement>('combobox').map(({ value }) => value)
const type = (place: number, value: string) =>
  act(async () => fireEvent.change(wordField(place), { target: { value } }))

test('one unknown word is marked in its field, and replaced by the suggested word', async () => {
  const words = (await creditIdToWords(restoredId, 'en')).split(' ')
  await restore(words.with(4, `${words[4]}q`).join(' '))
  expect(await screen.findByText('One word is on none of the word lists.')).toBeDefined()
  expect(wordField(5).getAttribute('aria-invalid')).toBe('true')
  expect(document.activeElement).toBe(wordField(5))
  // What was meant stands with the field, and is heard with it.
  const described = document.getElementById(wordField(5).getAttribute('aria-describedby') ?? '')
  expect(described?.textContent).toMatch(/^Word 5, “.*”: did you mean one of these\?$/)
  const item = wordField(5).closest('li')
  expect(item?.contains(screen.getByRole('button', { name: words[4] ?? '' }))).toBe(true)
  expect(wordField(4).getAttribute('aria-invalid')).toBeNull()
  await press(words[4] ?? '')
  expect(fieldWords()).toEqual(words)
  await press('Restore')
  await waitFor(() => expect(creditIdStore.getSnapshot()).toBe(restoredId))
})

test('correcting one word keeps the other unknown words marked, and the focus in its field', async () => {
  const words = (await creditIdToWords(restoredId, 'en')).split(' ')
  await restore(words.with(2, `${words[2]}q`).with(7, `${words[7]}q`).join(' '))
  expect(await screen.findByText('2 words are on none of the word lists.')).toBeDefined()
  act(() => wordField(8).focus())
  await type(8, words[7] ?? '')
  expect(document.activeElement).toBe(wordField(8))
  expect(screen.getByText('One word is on none of the word lists.')).toBeDefined()
  expect(wordField(3).getAttribute('aria-invalid')).toBe('true')
  expect(wordField(8).getAttribute('aria-invalid')).toBeNull()
  await type(3, words[2] ?? '')
  expect(screen.queryByText(/on none of the word lists/)).toBeNull()
})

test('known words with a wrong checksum get a different message from unknown words', async () => {
  await restore(`${'abandon '.repeat(11)}zoo`)
  expect(await screen.findByText(/Each word exists/)).toBeDefined()
  expect(screen.queryByText(/on none of the word/)).toBeNull()
})

test('words can be entered one by one, with completion, by keyboard alone', async () => {
  const words = (await creditIdToWords(restoredId, 'en')).split(' ')
  renderInEnglish(<RestoreForm />)
  await press('Enter word by word')
  expect(document.activeElement).toBe(wordField(1))
  await type(1, 'abst')
  expect(screen.getAllByRole('option').map(({ textContent }) => textContent)).toEqual(['abstract'])
  fireEvent.keyDown(wordField(1), { key: 'ArrowDown' })
  expect(wordField(1).getAttribute('aria-activedescendant')).toBe(screen.getByRole('option').id)
  await act(async () => fireEvent.keyDown(wordField(1), { key: 'Enter' }))
  expect(wordField(1).value).toBe('abstract')
  expect(document.activeElement).toBe(wordField(2))
  await type(2, 'zo ')
  expect(wordField(2).value).toBe('zo')
  expect(document.activeElement).toBe(wordField(3))
  fireEvent.keyDown(wordField(3), { key: 'Backspace' })
  expect(document.activeElement).toBe(wordField(2))
  for (const [index, word] of words.entries()) await type(index + 1, word)
  await press('Restore')
  await waitFor(() => expect(creditIdStore.getSnapshot()).toBe(restoredId))
})

test('what was typed is still there where somebody goes on word by word, or in one field again', async () => {
  renderInEnglish(<RestoreForm />)
  const field = () => screen.getByLabelText<HTMLTextAreaElement>('12 words or credit key')
  fireEvent.change(field(), { target: { value: '1. abandon\n2. ability' } })
  await press('Enter word by word')
  expect([1, 2, 3].map(place => wordField(place).value)).toEqual(['abandon', 'ability', ''])
  expect(document.activeElement).toBe(wordField(3))
  await type(3, 'able')
  await press('Enter in one field')
  expect(field().value).toBe('abandon ability able')

  // A key is no word.
  fireEvent.change(field(), { target: { value: restoredId } })
  await press('Enter word by word')
  expect(wordField(1).value).toBe('')
  await press('Enter in one field')
  expect(field().value).toBe(restoredId)
})

test.each([
  ['twelve words', async () => await creditIdToWords(restoredId, 'fr')],
  ['the key', async () => restoredId],
  [
    'the file',
    async () => `My credit\n\n${await creditIdToWords(restoredId, 'en')}\n\n${restoredId}\n\nKeep it.`,
  ],
])('%s pasted into any word field fills all fields', async (_what, copied) => {
  renderInEnglish(<RestoreForm />)
  await press('Enter word by word')
  const pasted = await copied()
  await act(async () => fireEvent.paste(wordField(7), { clipboardData: { getData: () => pasted } }))
  await press('Restore')
  await waitFor(() => expect(creditIdStore.getSnapshot()).toBe(restoredId))
})

test('a credit key whose letters resemble words is read as a key', async () => {
  restoredId = 'cedc2fd6-a96a-4b4f-84ee-2f35ac7c2a0b'
  renderInEnglish(<RestoreForm />)
  await press('Enter word by word')
  await act(async () => fireEvent.paste(wordField(1), { clipboardData: { getData: () => restoredId } }))
  await press('Restore')
  await waitFor(() => expect(creditIdStore.getSnapshot()).toBe(restoredId))
})

test('the field is emptied after a restore, and when the page is left', async () => {
  await restore(restoredId)
  await screen.findByText('Credit restored.')
  expect(screen.getByLabelText<HTMLTextAreaElement>('12 words or credit key').value).toBe('')
  expect(document.activeElement?.textContent).toBe('Credit restored.')
  await press('Enter word by word')
  await type(1, 'abandon')
  act(() => void window.dispatchEvent(new Event('pagehide')))
  expect(screen.getByLabelText<HTMLTextAreaElement>('12 words or credit key').value).toBe('')
})

test('the downloaded backup names the site and the day, and restores the credit', async () => {
  const saved: { name: string; file: Blob }[] = []
  jest.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(
    this: HTMLAnchorElement,
  ) {
    saved.push({ name: this.download, file: files.at(-1) ?? new Blob() })
  })
  const files: Blob[] = []
  URL.createObjectURL = file => `blob:${files.push(file as Blob)}`
  URL.revokeObjectURL = () => {}
  renderInEnglish(<CreditBackup creditId={restoredId} />)
  await screen.findByRole('button', { name: 'Download as text' })
  await press('Download as text')
  const { name, file } = saved[0] ?? { name: '', file: new Blob() }
  expect(name).toMatch(/^credit-localhost-\d{4}-\d\d-\d\d\.txt$/)
  const text = await new Promise(resolve => {
    const reader = new FileReader()
    reader.onload = () => resolve(reader.result)
    reader.readAsText(file)
  })
  expect(text).toContain('http://localhost/account')
  expect(text).toMatch(/\n12\. /)
  cleanup()
  await restore(String(text).replace(restoredId, ''))
  await waitFor(() => expect(creditIdStore.getSnapshot()).toBe(restoredId))
})
