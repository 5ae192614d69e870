/** @jest-environment jsdom */
import { afterEach, expect, test } from '@jest/globals'
import { cleanup, screen } from '@testing-library/react'
import { renderInEnglish } from '@/components/account/testing'
import type { ContentPart, Message } from '@/lib/local/domain/conversation'
import { AssistantMessage } from './assistant-message'
import { parseModelList } from './chat-model'
import { UnsentNotice } from './unsent-notice'

const documentAt = (url: string, name?: string): ContentPart => ({
  type: 'document_url',
  document_url: { url, created_at: '', name },
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

function noticeFor(modalities: readonly string[]) {
  const entry = { id: 'a/m', name: 'Em', pricing: { prompt: '0', completion: '0' } }
  const [model] = parseModelList({ data: [{ ...entry, architecture: { input_modalities: modalities } }] })
  if (model) renderInEnglish(<UnsentNotice messages={[QUESTION]} model={model} />)
}

afterEach(cleanup)

test('what the model will not be given is named before it is asked', async () => {
  noticeFor(['text'])
  expect((await screen.findByRole('status')).textContent).toBe(
    'Will not be sent to Em: cat.png, paper.pdf. This is only on the web, where this model cannot read it.',
  )
})

test('what the model can be given by its address is not named', async () => {
  noticeFor(['text', 'image'])
  expect((await screen.findByRole('status')).textContent).toMatch(/^Will not be sent to Em: paper\.pdf\./)
})

test('an answer shows the documents that are in it', () => {
  const content = [
    documentAt('data:text/plain;base64,AA==', 'Report.txt'),
    documentAt('https://elsewhere.example/x'),
  ]
  renderInEnglish(
    <AssistantMessage
      message={{
        role: 'assistant',
        id: 'a',
        status: 'completed',
        content: [{ type: 'text', text: 'Here.' }, ...content],
      }}
      modelName={null}
      versions={null}
      actions={null}
    />,
  )
  const answer = screen.getByRole('article', { name: 'Assistant message' })
  expect(answer.textContent).toContain('Report.txt')
  expect(screen.getByRole('button', { name: /Report\.txt/ })).toBeTruthy()
})
