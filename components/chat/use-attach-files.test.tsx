/** @jest-environment jsdom */
import { afterEach, expect, jest, test } from '@jest/globals'
import { act, cleanup } from '@testing-library/react'
import { renderInEnglish } from '@/components/account/testing'
import { noticeStore } from '@/lib/local/notice/notice-store'
import type { ChatModel } from './chat-model'

const unreachable = (): never => {
  throw new Error('Failed to fetch dynamically imported module')
}
const attachDocument = jest.fn(async () => 'unloaded')
let isOffline = true
jest.unstable_mockModule('./attach-document', () => (isOffline ? unreachable() : { attachDocument }))
jest.unstable_mockModule('./shrink-picture', unreachable)
const { useAttachFiles } = await import('./use-attach-files')

const MODEL: ChatModel = {
  id: 'm',
  name: 'M',
  takesPictures: true,
  takesFiles: true,
  draws: false,
  windowTokens: null,
  controls: { temperature: true, outputTokensMax: null, efforts: [] },
  prices: { prompt: '0', completion: '0' },
}
const NOTES = new File(['text'], 'notes.txt', { type: 'text/plain' })

let attaching: ReturnType<typeof useAttachFiles>

function Attaching() {
  attaching = useAttachFiles('c', MODEL)
  return null
}

async function attach(file: File): Promise<string> {
  renderInEnglish(<Attaching />)
  await act(async () => attaching.add([file]))
  expect(attaching.readings).toEqual([])
  return noticeStore.getSnapshot().text
}

afterEach(() => {
  cleanup()
  noticeStore.update({ hidden: true, text: '' })
})

test.each([
  ['a document', NOTES],
  ['a picture', new File(['x'], 'a.png', { type: 'image/png' })],
])('%s whose reader cannot be fetched is refused for that reason', async (_what, file) => {
  expect(await attach(file)).toMatch(/^No connection to the server/)
})

test('so is one whose reader could not fetch all that it needs', async () => {
  isOffline = false
  expect(await attach(NOTES)).toMatch(/^No connection to the server/)
  expect(attachDocument).toHaveBeenCalledTimes(1)
})
