/** @jest-environment jsdom */
import { afterEach, expect, jest, test } from '@jest/globals'
import { cleanup, screen } from '@testing-library/react'
import { renderInEnglish } from '@/test/support/render'
import type { ChatModel } from './chat-model'
import { chatModel } from './testing'

jest.unstable_mockModule('@/lib/i18n/navigation', () => ({ Link: 'a' }))
const { Suggestions } = await import('./empty-state')

afterEach(cleanup)

function examplesOf(model: ChatModel) {
  renderInEnglish(<Suggestions models={[model]} model={model} onModel={() => {}} onChoose={() => {}} />)
  return screen.getAllByRole('listitem').map(({ textContent }) => textContent)
}

test('a model that answers is offered questions, each with its price', () => {
  const examples = examplesOf(chatModel({ prices: { prompt: '0', completion: '0.00001' } }))
  expect(examples[0]).toMatch(/^Explain how a heat pump makes warmth out of cold air≈ \d/)
  expect(examples).toHaveLength(3)
})

test('a model that draws is offered pictures, each with its price', () => {
  const examples = examplesOf(
    chatModel({ draws: true, prices: { prompt: '0', completion: '0', image: '0.02' } }),
  )
  expect(examples).toEqual([
    'A lighthouse in a storm, as a woodcut≈ 2 cents',
    'A cat reading the newspaper in a café, in watercolour≈ 2 cents',
    'A simple logo for a bicycle workshop≈ 2 cents',
  ])
})
