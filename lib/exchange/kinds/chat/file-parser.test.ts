import { describe, expect, test } from '@jest/globals'
import type { ChatRequest } from './contract'
import { withParserWithinBound } from './file-parser'

const FILE = { type: 'file' as const, file: { file_data: 'data:application/pdf;base64,A' } }

function pluginsFor(input: { part?: { type: 'file' | 'text' }; plugins?: unknown; takesFiles?: boolean }) {
  const { part = FILE, plugins, takesFiles = true } = input
  const request: ChatRequest = { model: 'm', messages: [{ role: 'user', content: [part] }] }
  return withParserWithinBound({ ...request, plugins }, request, takesFiles).plugins
}

describe('a file that an upstream reads for the model', () => {
  test.each([
    undefined,
    7,
    [],
    [{ id: 'file-parser', pdf: { engine: 'mistral-ocr' } }],
    [{ id: 'file-parser' }],
  ])('is never read at a price by the page (%j)', plugins => {
    const native = [{ id: 'file-parser', pdf: { engine: 'native' } }]
    expect(pluginsFor({ plugins })).toEqual(native)
    const free = [{ id: 'file-parser', pdf: { engine: 'cloudflare-ai' } }]
    expect(pluginsFor({ plugins, takesFiles: false })).toEqual(free)
  })

  test('is read as the client says where that costs nothing more, and other plugins stay', () => {
    const plugins = [{ id: 'file-parser', max: 1, pdf: { engine: 'cloudflare-ai' } }, { id: 'web' }]
    expect(pluginsFor({ plugins })).toEqual([{ id: 'web' }, plugins[0]])
  })

  test('changes nothing without a file', () => {
    expect(pluginsFor({ part: { type: 'text' } })).toBeUndefined()
  })
})
