/** @jest-environment jsdom */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { NextIntlClientProvider } from 'next-intl'
import messages from '@/messages/en.json'
import { parseModelList } from '../chat-model'
import { ModelOptions } from './model-options'

const models = parseModelList({
  data: [
    { id: 'a', name: 'Alpha', pricing: { prompt: '0.000001', completion: '0.000002' } },
    { id: 'b', name: 'Beta', pricing: { prompt: '0', completion: '0' } },
    { id: 'd', name: 'Dabber', type: 'image', pricing: { prompt: '0', completion: '0', image: '0.025' } },
    { id: 'e', name: 'Etcher', type: 'image', pricing: { prompt: '0', completion: '0.00001' } },
    { id: 'c', name: 'Gamma', pricing: { prompt: '0.00001', completion: '0.00003' } },
  ],
})

function show(failed = false) {
  const onChoose = jest.fn()
  const retry = jest.fn()
  render(
    <NextIntlClientProvider locale="en" messages={messages}>
      <ModelOptions
        modelList={{ models: failed ? [] : models, loading: false, failed, retry }}
        chosenId="b"
        onChoose={onChoose}
      />
    </NextIntlClientProvider>,
  )
  return { onChoose, retry }
}

function activeName() {
  const id = screen.getByRole('combobox').getAttribute('aria-activedescendant') ?? ''
  return document.getElementById(id)?.textContent
}

beforeEach(() => {
  Element.prototype.scrollIntoView = () => {}
})
afterEach(cleanup)

describe('the choice of a model', () => {
  test('offers a way out when the list could not be loaded', () => {
    const { retry } = show(true)
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
    expect(retry).toHaveBeenCalledTimes(1)
  })

  test('shows the price for a million tokens and for a message', () => {
    show()
    expect(screen.getByRole('option', { name: /Alpha/ }).textContent).toContain('$1.00 / $2.00')
    expect(screen.getByRole('option', { name: /Alpha/ }).textContent).toContain('≈ 0.11 cents a message')
    expect(screen.getByRole('option', { name: /Beta/, selected: true }).textContent).toContain('Free')
  })

  test('says which models draw, and what a picture costs', () => {
    show()
    expect(screen.getByRole('option', { name: /Dabber/ }).textContent).toBe('DabberDraws2.5 cents a picture')
    expect(screen.getByRole('option', { name: /Etcher/ }).textContent).toContain('≈ 4.2 cents a picture')
  })

  test('is made by keyboard alone, and stops at both ends', () => {
    const { onChoose } = show()
    const field = screen.getByRole('combobox')
    expect(activeName()).toContain('Beta')
    fireEvent.keyDown(field, { key: 'ArrowDown' })
    fireEvent.keyDown(field, { key: 'ArrowDown' })
    expect(activeName()).toContain('Dabber')
    for (let count = 0; count < 5; count += 1) fireEvent.keyDown(field, { key: 'ArrowDown' })
    expect(activeName()).toContain('Etcher')
    fireEvent.keyDown(field, { key: 'Home' })
    fireEvent.keyDown(field, { key: 'ArrowUp' })
    expect(activeName()).toContain('Alpha')
    fireEvent.keyDown(field, { key: 'Enter' })
    expect(onChoose).toHaveBeenCalledWith('a')
  })

  test('is narrowed by typing, and Enter takes the first that is left', () => {
    const { onChoose } = show()
    fireEvent.change(screen.getByRole('combobox'), { target: { value: 'gam' } })
    expect(screen.getAllByRole('option')).toHaveLength(1)
    fireEvent.keyDown(screen.getByRole('combobox'), { key: 'Enter' })
    expect(onChoose).toHaveBeenCalledWith('c')
    fireEvent.change(screen.getByRole('combobox'), { target: { value: 'nothing like it' } })
    expect(screen.getByText('No model has this name.')).toBeDefined()
  })
})
