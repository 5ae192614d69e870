import { describe, expect, test } from '@jest/globals'
import type { ChatRequest } from './contract'
import { withParserWithinBound } from './file-parser'

const FILE = { type: 'file' as const, file: { file_data: 'data:application/pdf;base64,A' } }

function pluginsFor(input: { part?: { type: 'file' | 'text' }; plugins?: unknown; takesFiles?: boolean }) {
  const { part = FILE, plugins, takesFiles = true } = input
  const request: ChatRequest = { model: 'm', messages: [{ role: 'user', content: [part] }] }
  return withParserWithinBound({ ...request, plugins }, request, takesFiles).plugins
}

describe('the file parser that an upstream runs for a model', () => {
  test.each([
    undefined,
    7,
    [],
    [{ id: 'file-parser', pdf: { engine: 'mistral-ocr' } }],
    [{ id: 'file-parser' }],
  ])('is never an engine that is paid by the page (%j)', plugins => {
    const native = [{ id: 'file-parser', pdf: { engine: 'native' } }]
    expect(pluginsFor({ plugins })).toEqual(native)
    const free = [{ id: 'file-parser', pdf: { engine: 'cloudflare-ai' } }]
    expect(pluginsFor({ plugins, takesFiles: false })).toEqual(free)
  })

  test('is the client’s choice if that costs nothing more, beside the other plugins', () => {
    const plugins = [{ id: 'file-parser', max: 1, pdf: { engine: 'cloudflare-ai' } }, { id: 'web' }]
    expect(pluginsFor({ plugins })).toEqual([{ id: 'web' }, plugins[0]])
  })

  test('is not asked for without a file', () => {
    expect(pluginsFor({ part: { type: 'text' } })).toBeUndefined()
  })
})
