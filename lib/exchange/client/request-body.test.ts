import { describe, expect, test } from '@jest/globals'
import type { Conversation, Message } from '@/lib/local/domain/conversation'
import { buildRequestBody } from './request-body'

const resolve = async (url: string) => (url === 'image-store:1' ? 'data:image/jpeg;base64,AA==' : null)

async function bodyFor(messages: Message[], contextTokenCountMax = 10_000) {
  const conversation: Conversation = {
    id: 'c',
    created_at: '2026-11-20T00:00:00.000Z',
    messages: [...messages, { role: 'assistant', id: 'answer', content: '', model: 'm' }],
  }
  return JSON.parse(
    await buildRequestBody(conversation, 'answer', contextTokenCountMax, {
      picture: resolve,
      document: async () => null,
    }),
  )
}

describe('the request for an answer', () => {
  test('leaves out answers that never came, and whatever stands behind its place', async () => {
    const body = await bodyFor([
      { role: 'user', content: 'one' },
      { role: 'assistant', content: '', status: 'failed' },
      { role: 'user', content: 'two' },
    ])
    expect(body).toEqual({
      model: 'm',
      messages: [
        { role: 'user', content: 'one' },
        { role: 'user', content: 'two' },
      ],
      stream: true,
    })
  })

  test('carries pictures and documents in the shapes of the API, and drops those that are gone', async () => {
    const body = await bodyFor([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type: 'image_url', image_url: { url: 'image-store:1', created_at: '' } },
          { type: 'image_url', image_url: { url: 'image-store:gone', created_at: '' } },
          { type: 'document_url', document_url: { url: 'data:text/plain;base64,AA==', created_at: '' } },
          { type: 'document_url', document_url: { url: 'https://elsewhere.example/x', created_at: '' } },
        ],
      },
    ])
    expect(body.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type: 'image_url', image_url: { url: 'data:image/jpeg;base64,AA==' } },
          { type: 'file', file: { filename: 'document', file_data: 'data:text/plain;base64,AA==' } },
        ],
      },
    ])
  })

  test('sends only as much history as the context window holds', async () => {
    const body = await bodyFor(
      [
        { role: 'user', content: 'old '.repeat(500) },
        { role: 'assistant', content: 'older answer' },
        { role: 'user', content: 'new' },
      ],
      50,
    )
    expect(body.messages).toEqual([{ role: 'user', content: 'new' }])
  })
})
