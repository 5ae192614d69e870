/** @jest-environment jsdom */
import { afterEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent } from '@testing-library/react'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { createUuid } from '@/lib/local/uuid'
import { renderInEnglish } from '@/test/support/render'
import type { ChatModel } from './chat-model'
import type { DraftDocument } from './draft-document'
import { draftStore, EMPTY_DRAFT } from './draft-store'
import { chatModel } from './testing'

const unreachable = (): never => {
  throw new Error('Failed to fetch dynamically imported module')
}
const ATTACHED: DraftDocument = {
  url: 'document-store:1',
  name: 'notes.txt',
  size: 4,
  isPdf: false,
  pageCount: null,
  isCut: false,
  textTokenCount: 1,
  scriptTokenCount: 0,
  isWhole: false,
}
const attachDocument = jest.fn(
  async (_file: File): Promise<DraftDocument | 'unloaded' | 'notText'> => 'unloaded',
)
let isOffline = true
jest.unstable_mockModule('./attach-document', () => (isOffline ? unreachable() : { attachDocument }))
jest.unstable_mockModule('./attach-picture', unreachable)
const { useAttachFiles } = await import('./use-attach-files')

const MODEL = chatModel({ takesPictures: true, takesFiles: true })
const NOTES = new File(['text'], 'notes.txt', { type: 'text/plain' })

const PICTURE = new File(['x'], 'a.png', { type: 'image/png' })

let model: ChatModel | null = MODEL
let attaching: ReturnType<typeof useAttachFiles>

function Attaching() {
  attaching = useAttachFiles('c', model)
  return null
}

async function attach(...files: File[]): Promise<string> {
  renderInEnglish(<Attaching />)
  await act(async () => attaching.add(files))
  return noticeStore.getSnapshot().text
}

afterEach(() => {
  cleanup()
  jest.restoreAllMocks()
  noticeStore.update({ hidden: true, text: '' })
})

test.each([
  ['a document', NOTES],
  ['a picture', PICTURE],
])('%s is refused with the reason if the code that reads it cannot be loaded', async (_what, file) => {
  expect(await attach(file)).toMatch(/^A part of this page could not be loaded/)
  expect(attaching.readings).toEqual([])
})

test('a document is refused with the reason if its reader cannot load its parts', async () => {
  isOffline = false
  expect(await attach(NOTES)).toMatch(/^A part of this page could not be loaded/)
  expect(attachDocument).toHaveBeenCalledTimes(1)
})

test('a file attached while offline belongs to the message, and is attached once the network is back', async () => {
  attachDocument.mockResolvedValueOnce(ATTACHED)
  jest.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  expect(await attach(NOTES, NOTES)).toMatch(/^You are offline. Your file will be attached/)
  expect(draftStore.get('c').documents).toEqual([ATTACHED])
  expect(attaching.readings).toHaveLength(1)
  attachDocument.mockResolvedValue({ ...ATTACHED, url: 'document-store:2' })
  await act(async () => void fireEvent(window, new Event('online')))
  expect(draftStore.get('c').documents.map(({ url }) => url)).toEqual([
    'document-store:1',
    'document-store:2',
  ])
  expect(attaching.readings).toEqual([])
})

test.each([
  ['before the models have loaded', null],
  ['to a model without vision', { ...MODEL, takesPictures: false }],
])('a picture attached %s is not refused because of the model', async (_when, given) => {
  model = given
  expect(await attach(PICTURE)).toMatch(/^A part of this page could not be loaded/)
})

test('several refused files are each named, and further ones counted', async () => {
  attachDocument.mockResolvedValue('notText')
  const huge = new File([], 'huge.jpg', { type: 'image/jpeg' })
  Object.defineProperty(huge, 'size', { value: 31 * 1024 * 1024 })
  const told = await attach(huge, ...['a', 'b', 'c', 'd', 'e'].map(name => new File(['x'], `${name}.exe`)))
  const refused = ['a', 'b', 'c'].map(name => `${name}.exe cannot be attached. Text, PDFs and pictures can.`)
  expect(told).toBe(
    ['huge.jpg is larger than 30\u00a0MB.', ...refused, '2 more could not be attached.'].join(' '),
  )
})

test('a picture may be exactly as large as is said', async () => {
  model = MODEL
  const pictureOf = (size: number) => {
    const file = new File([], 'large.jpg', { type: 'image/jpeg' })
    Object.defineProperty(file, 'size', { value: size })
    return file
  }
  expect(await attach(pictureOf(30_000_000))).toMatch(/^A part of this page could not be loaded/)
  expect(await attach(pictureOf(30_000_001))).toBe('large.jpg is larger than 30\u00a0MB.')
})

test('files are being read from the start until the last is attached, and one that is taken back never is', async () => {
  const attached = Promise.withResolvers<DraftDocument>()
  attachDocument.mockReset().mockReturnValueOnce(attached.promise)
  renderInEnglish(<Attaching />)
  await act(async () => attaching.add([NOTES, PICTURE, NOTES]))
  expect(attaching.readings.map(({ name }) => name)).toEqual(['notes.txt', 'a.png', 'notes.txt'])
  const [reading, ...taken] = attaching.readings
  await act(async () => {
    for (const { cancel } of taken) cancel()
  })
  expect(attaching.readings).toEqual([reading])
  await act(async () => attached.resolve({ ...ATTACHED, url: 'document-store:3' }))
  expect(attaching.readings).toEqual([])
  expect(draftStore.get('c').documents.at(-1)?.url).toBe('document-store:3')
  expect(attachDocument).toHaveBeenCalledTimes(1)
})

test('a document that never gets stored can be taken back, and those after it are attached', async () => {
  attachDocument.mockReset().mockReturnValueOnce(new Promise(() => {}))
  attachDocument.mockResolvedValueOnce({ ...ATTACHED, url: 'document-store:4' })
  renderInEnglish(<Attaching />)
  await act(async () => attaching.add([NOTES, NOTES]))
  await act(async () => attaching.readings[0]?.cancel())
  expect(attaching.readings).toEqual([])
  expect(draftStore.get('c').documents.at(-1)?.url).toBe('document-store:4')
})

test('of files that are attached twice in a row, no more are attached than a message can carry', async () => {
  draftStore.set('c', EMPTY_DRAFT)
  attachDocument.mockReset().mockImplementation(async () => ({ ...ATTACHED, url: createUuid() }))
  renderInEnglish(<Attaching />)
  await act(async () => {
    attaching.add([NOTES, NOTES, NOTES])
    attaching.add([NOTES, NOTES, NOTES])
  })
  expect(draftStore.get('c').documents).toHaveLength(5)
})
