/** @jest-environment jsdom */
import 'fake-indexeddb/auto'
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { ContextField } from '@/components/settings/context-field'
import { FILE_BYTES_MAX } from '@/lib/documents/domain/document-limits'
import { creditIdStore } from '@/lib/local/credit-id'
import { spendingLimitsStore } from '@/lib/local/spending-limits'
import en from '@/messages/en.json'
import { renderInEnglish } from '@/test/support/render'
import { ImportForm } from './import-form'
import { YourData } from './your-data'

beforeEach(() => {
  localStorage.clear()
  // jsdom has neither.
  globalThis.structuredClone ??= value => JSON.parse(JSON.stringify(value))
  globalThis.reportError ??= error => {
    throw error
  }
})
afterEach(cleanup)

async function importText(text: string, bytes = text.length, page = <ImportForm onImported={() => {}} />) {
  const { container } = renderInEnglish(page)
  const file = new File([text], 'conversations.json')
  // jsdom's files have no text().
  Reflect.set(file, 'text', async () => text)
  Object.defineProperty(file, 'size', { value: bytes })
  const input = container.querySelector('input[type=file]')
  if (!input) throw new Error('There is no file field.')
  await act(async () => void fireEvent.change(input, { target: { files: [file] } }))
}

test('importing a foreign file names the button that makes a valid export', async () => {
  await importText('[{"mapping": {}}]')
  expect(screen.getByRole('status').textContent).toContain('“Export everything”')
})

test('a file with ten documents of the largest size is imported', async () => {
  const base64Bytes = (10 * FILE_BYTES_MAX * 4) / 3
  await importText(JSON.stringify({ conversations: [] }), base64Bytes)
  expect(screen.getByRole('status').textContent).toBe('0 chats and 0 pictures imported.')
})

test('what an import brings is counted in the list above it', async () => {
  const image = { url: 'image-store:a-1x1', created_at: '2026-11-20T00:00:00.000Z' }
  const images = [{ image_url: image, base64_json: 'AAAA' }]
  await importText(JSON.stringify({ conversations: [], images }), undefined, <YourData />)
  await screen.findByText('0 chats and 1 picture imported.')
  const pictures = () => screen.getByText('Pictures', { selector: 'dt' }).nextElementSibling?.textContent
  await waitFor(() => expect(pictures()).toMatch(/^1 · /))
})

test('a file that no browser can read at once is not called damaged', async () => {
  await importText('', 600_000_000)
  expect(screen.getByRole('status').textContent).toBe(en.yourData.importTooLarge)
})

test('settings in a file apply once they are taken over, and not before', async () => {
  const local_storage = { spendingLimits: '{"message_usd":5}' }
  await importText(JSON.stringify({ conversations: [], local_storage }))
  const take = await screen.findByRole('button', { name: 'Take over the settings' })
  expect(spendingLimitsStore.getSnapshot().messageUsd).toBeNull()
  take.focus()
  await act(async () => void fireEvent.click(take))
  await screen.findByText('The settings in the file now apply in this browser.')
  expect(spendingLimitsStore.getSnapshot().messageUsd).toBe(5)
  expect(screen.queryByRole('button', { name: 'Take over the settings' })).toBeNull()
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Choose a file' }))
})

test('a setting that is taken over is shown at once where it can be changed', async () => {
  renderInEnglish(<ContextField />)
  await importText(JSON.stringify({ conversations: [], local_storage: { maxContext: '8192' } }))
  const take = await screen.findByRole('button', { name: 'Take over the settings' })
  await act(async () => void fireEvent.click(take))
  await screen.findByText('The settings in the file now apply in this browser.')
  expect(screen.getByLabelText('Memory, in tokens')).toHaveProperty('value', '8192')
})

test('the focus does not go with the button that takes over the credit of a file', async () => {
  const local_storage = { credit_id: '0b0e7c9e-5d3c-4a53-9d5c-2f1d5f3f6a01' }
  await importText(JSON.stringify({ conversations: [], local_storage }))
  const take = await screen.findByRole('button', { name: 'Use this credit here' })
  take.focus()
  await act(async () => void fireEvent.click(take))
  expect(take.isConnected).toBe(false)
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Choose a file' }))
})

test('a file with another credit than this browser’s lets its key be copied, and takes nothing over', async () => {
  const own = '0b0e7c9e-5d3c-4a53-9d5c-2f1d5f3f6a02'
  const writeText = jest.fn(async (_text: string) => undefined)
  Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText } })
  await act(async () => void creditIdStore.write(own))
  const local_storage = { credit_id: '0b0e7c9e-5d3c-4a53-9d5c-2f1d5f3f6a01' }
  await importText(JSON.stringify({ conversations: [], local_storage }))
  await act(
    async () => void fireEvent.click(screen.getByRole('button', { name: 'Copy the key in the file' })),
  )
  expect(writeText).toHaveBeenCalledWith(local_storage.credit_id)
  expect(creditIdStore.getSnapshot()).toBe(own)
})

test('a file that was imported before is said to bring nothing', async () => {
  const text = JSON.stringify([{ id: 'again', messages: [{ role: 'user', content: 'Hello' }] }])
  await importText(text)
  await screen.findByText('1 chat and 0 pictures imported.')
  cleanup()
  await importText(text)
  expect(await screen.findByText('Everything in this file was here already.')).toBeDefined()
})
