/** @jest-environment jsdom */
import { afterEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen } from '@testing-library/react'
import { chooseContext } from '@/lib/exchange/client/context-window'
import type { ContentPart, Message } from '@/lib/local/domain/conversation'
import { renderInEnglish } from '@/test/support/render'
import { AssistantMessage } from './assistant-message'
import { parseModelList } from './chat-model'
import { UnsentNotice } from './unsent-notice'

const documentAt = (url: string, name?: string): ContentPart => ({
  type: 'document_url',
  document_url: { url, created_at: '', name, token_count: 10 },
})
const picture: ContentPart = {
  type: 'image_url',
  image_url: { url: 'https://elsewhere.example/pets/cat.png', created_at: '' },
}
const QUESTION: Message = {
  role: 'user',
  content: [
    picture,
    documentAt('https://elsewhere.example/paper.pdf'),
    documentAt('document-store:1', 'Kept'),
  ],
}

const MODELS = parseModelList({
  data: [
    { id: 'a/dear', name: 'Dear', window: 9_000, modalities: ['text', 'image', 'file'], price: '0.01' },
    { id: 'a/em', name: 'Em', window: 1_000, modalities: ['text'], price: '0.0001' },
    { id: 'a/seer', name: 'Seer', window: 2_000, modalities: ['text', 'image'], price: '0.001' },
    { id: 'a/painter', name: 'Painter', type: 'image', modalities: ['text'], price: '0' },
  ].map(({ window, modalities, price, ...entry }) => ({
    ...entry,
    context_length: window,
    architecture: { input_modalities: modalities },
    pricing: { prompt: price, completion: price },
  })),
})
const onModel = jest.fn()

async function noticeFor(name: string, messages: readonly Message[], hasAttachments = false) {
  const model = MODELS.find(one => one.name === name)
  if (!model) throw new Error('No such model')
  const limits = { maxContextTokens: 2048, windowTokens: null, instructions: null }
  const context = model.draws ? null : chooseContext(messages, limits)
  await act(async () =>
    renderInEnglish(<UnsentNotice {...{ context, hasAttachments, model, models: MODELS, onModel }} />),
  )
}
const said = async () => (await screen.findByRole('status')).textContent

afterEach(cleanup)

test('the notice appears in a region that existed before, so that a screen reader announces it', async () => {
  await noticeFor('Painter', [QUESTION], true)
  const words = screen.getByText(/^This model draws from words alone/)
  expect(screen.getByRole('status').contains(words)).toBe(true)
})

test('attachments that the model does not accept are named before sending', async () => {
  await noticeFor('Em', [QUESTION])
  expect(
    await screen.findByText('Em does not take pictures. The picture here will not be sent to it.'),
  ).toBeTruthy()
  expect(await said()).toContain('Will not be sent to Em: paper.pdf. This is only on the web')
})

test('stored pictures are not sent to a model without vision, and another model is offered', async () => {
  const stored: ContentPart = { type: 'image_url', image_url: { url: 'image-store:1', created_at: '' } }
  await noticeFor('Em', [
    { role: 'user', content: [stored, stored] },
    { role: 'assistant', content: 'Two cats' },
    { role: 'user', content: 'Sure?' },
  ])
  expect(await screen.findByText(/The 2 pictures here will not be sent/)).toBeTruthy()
  fireEvent.click(await screen.findByRole('button', { name: 'Choose Seer' }))
  expect(onModel).toHaveBeenCalledWith('a/seer')
})

test('a picture that can be sent by its address is not named', async () => {
  await noticeFor('Seer', [QUESTION])
  expect(await said()).toMatch(/^Will not be sent to Seer: paper\.pdf\./)
})

test('a document too long for the model is named, with the cheapest model that can read it', async () => {
  const book: ContentPart = {
    type: 'document_url',
    document_url: { url: 'document-store:1', created_at: '', name: 'Book', token_count: 1_234 },
  }
  await noticeFor('Em', [{ role: 'user', content: [{ type: 'text', text: 'Sum up' }, book] }])
  expect(await said()).toContain('about 1,200 tokens long, and there is room for 1,000')
  expect(await screen.findByRole('button', { name: 'Choose Seer' })).toBeTruthy()
})

test.each([
  [false, /draws from your next message alone/],
  [true, /To attach something, choose another model/],
])('an image model’s notice says what it ignores (attachments: %s)', async (isAttached, text) => {
  await noticeFor('Painter', [QUESTION], isAttached)
  expect(await said()).toMatch(text)
})

test('no notice is shown if everything is sent', async () => {
  await noticeFor('Dear', [{ role: 'user', content: 'words' }])
  expect(screen.queryByRole('status')).toBeNull()
})

test('an answer shows the documents it contains', async () => {
  const content = [
    documentAt('data:text/plain;base64,AA==', 'Report.txt'),
    documentAt('https://elsewhere.example/x'),
  ]
  await act(async () =>
    renderInEnglish(
      <AssistantMessage
        message={{
          role: 'assistant',
          id: 'a',
          status: 'completed',
          content: [{ type: 'text', text: 'Here.' }, ...content],
        }}
        modelName={null}
        isLast={false}
        versions={null}
        actions={null}
      />,
    ),
  )
  const answer = screen.getByRole('article', { name: 'Assistant message' })
  expect(answer.textContent).toContain('Report.txt')
  expect(screen.getByRole('button', { name: /Report\.txt/ })).toBeTruthy()
})
