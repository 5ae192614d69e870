/** @jest-environment jsdom */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import { NextIntlClientProvider } from 'next-intl'
import type { ComponentProps } from 'react'
import { lastBalanceStore } from '@/lib/local/last-balance'
import { en as messages } from '@/test/support/messages'
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
  // The browser is always idle.
  Object.assign(window, {
    cancelIdleCallback() {},
    requestIdleCallback(task: () => void) {
      task()
      return 1
    },
  })
})
afterEach(cleanup)

describe('the choice of a model', () => {
  test('offers to try again when the list could not be loaded', () => {
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

  test('shows which models draw, and the price of a picture', () => {
    show()
    expect(screen.getByRole('option', { name: /Dabber/ }).textContent).toBe('DabberDraws2.5 cents a picture')
    expect(screen.getByRole('option', { name: /Etcher/ }).textContent).toContain('≈ 4.2 cents a picture')
  })

  test('can be made by keyboard alone, and stops at both ends', () => {
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

  test('names another active model by another id, though it is in the same place', () => {
    show()
    const field = screen.getByRole('combobox')
    const idOfActive = (query: string) => {
      fireEvent.change(field, { target: { value: query } })
      return [activeName(), field.getAttribute('aria-activedescendant')]
    }
    const [[alpha, alphaId], [dabber, dabberId]] = [idOfActive('alpha'), idOfActive('dabber')]
    expect([alpha, dabber]).toEqual([expect.stringContaining('Alpha'), expect.stringContaining('Dabber')])
    expect(alphaId).not.toBe(dabberId)
  })

  test('is not made by keys that only choose characters, in Safari either', () => {
    const { onChoose } = show()
    const field = screen.getByRole('combobox')
    for (const composing of [{ isComposing: true }, { keyCode: 229 }]) {
      fireEvent.keyDown(field, { key: 'ArrowDown', ...composing })
      fireEvent.keyDown(field, { key: 'Enter', ...composing })
    }
    expect(activeName()).toContain('Beta')
    expect(onChoose).not.toHaveBeenCalled()
  })

  test('by keyboard scrolls the active model into view', () => {
    const seen: (string | null)[] = []
    Element.prototype.scrollIntoView = function scrollIntoView() {
      seen.push(this.id)
    }
    show()
    fireEvent.keyDown(screen.getByRole('combobox'), { key: 'ArrowDown' })
    expect(seen.at(-1)).toBe(screen.getByRole('combobox').getAttribute('aria-activedescendant'))
    Reflect.deleteProperty(Element.prototype, 'scrollIntoView')
  })

  test('is narrowed by typing, and Enter chooses the first result', () => {
    const { onChoose } = show()
    fireEvent.change(screen.getByRole('combobox'), { target: { value: 'gam' } })
    expect(screen.getAllByRole('option')).toHaveLength(1)
    fireEvent.keyDown(screen.getByRole('combobox'), { key: 'Enter' })
    expect(onChoose).toHaveBeenCalledWith('c')
    fireEvent.change(screen.getByRole('combobox'), { target: { value: 'nothing like it' } })
    expect(screen.getByRole('status').textContent).toBe('No model fits this.')
  })

  test('says that nothing was found before the empty list, which keeps its height', () => {
    show()
    fireEvent.change(screen.getByRole('combobox'), { target: { value: 'nothing like it' } })
    const place = screen.getByRole('status').compareDocumentPosition(screen.getByRole('listbox'))
    expect(place & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy()
  })
})

describe('a search for an ability', () => {
  test.each(['image', 'images', 'pictures', 'photos', 'painter', 'drawings'])(
    'finds the models that draw by %s',
    query => {
      show()
      fireEvent.change(screen.getByRole('combobox'), { target: { value: query } })
      expect(screen.getAllByRole('option').map(option => option.textContent)).toEqual([
        expect.stringContaining('Dabber'),
        expect.stringContaining('Etcher'),
      ])
    },
  )
})

describe('the choice among hundreds', () => {
  const many = parseModelList({
    data: Array.from({ length: 600 }, (_, index) => ({
      id: `maker-${index % 7}/${index}`,
      name: `Model ${index}`,
      owned_by: `maker-${index % 7}`,
      description:
        index === 2 ? 'Das Modell ist für die Schule und den Alltag.' : `What model ${index} is for.`,
      context_length: 8_192 + index,
      pricing: { prompt: String((600 - index) / 1e8), completion: String((600 - index) / 1e8) },
      supported_parameters: index % 2 ? ['tools', 'reasoning'] : [],
      expiration_date: index === 3 ? '2026-12-24' : null,
    })),
  })
  const names = () => screen.getAllByRole('option').map(option => option.textContent ?? '')
  const showMany = (props: Partial<ComponentProps<typeof ModelOptions>> = {}) => {
    const onChoose = jest.fn()
    render(
      <NextIntlClientProvider locale="en" messages={messages}>
        <ModelOptions
          modelList={{ models: many, loading: false, failed: false, retry: () => {} }}
          chosenId="maker-0/0"
          curatedIds={{ best: 'maker-3/500' }}
          onChoose={onChoose}
          {...props}
        />
      </NextIntlClientProvider>,
    )
    return onChoose
  }
  beforeEach(() => localStorage.clear())

  test('renders only the visible models, and End reaches the last one', () => {
    showMany()
    expect(screen.getAllByRole('option').length).toBeLessThan(60)
    expect(screen.getAllByRole('option')[0]?.getAttribute('aria-setsize')).toBe('600')
    fireEvent.keyDown(screen.getByRole('combobox'), { key: 'End' })
    expect(activeName()).toContain('Model 599')
  })

  test('calls no models the others where there are none beside them', () => {
    showMany({ chosenId: null, curatedIds: undefined })
    expect(screen.getAllByRole('option').length).toBeGreaterThan(1)
    expect(screen.queryByText('All other models')).toBeNull()
  })

  test('begins with favourites, recent choices and three suggestions', () => {
    localStorage.setItem(
      'modelChoices',
      JSON.stringify({ favouriteIds: ['maker-5/40'], recentIds: ['maker-5/40', 'maker-6/41', 'gone'] }),
    )
    showMany()
    const groups = screen.getAllByRole('group').map(group => group.getAttribute('aria-label'))
    const parts = ['Favourites', 'Chosen recently', 'Quick and cheap', 'Balanced', 'Best', 'All other models']
    expect(groups.filter(name => parts.includes(name ?? ''))).toEqual(parts)
    expect(names().slice(0, 3).join()).toMatch(/^Model 40.*,Model 0.*,Model 41/)
    expect(within(screen.getByRole('group', { name: 'Best' })).getByRole('option').textContent).toContain(
      'Model 500',
    )
    expect(new Set(names()).size).toBe(names().length)
  })

  test('keeps a favourite, but moves it only when the list is opened again', () => {
    showMany()
    const before = names()
    fireEvent.click(screen.getByRole('button', { name: 'Favourite: Model 3' }))
    expect(screen.getByRole('button', { name: 'Favourite: Model 3', pressed: true })).toBeDefined()
    expect(names().map(name => name.replace('Favourite', ''))).toEqual(before)
    cleanup()
    showMany()
    expect(names()[0]).toContain('Model 3')
  })

  test('can be filtered by ability and sorted by price, and marks models to be withdrawn', () => {
    const onChoose = showMany()
    expect(names().find(name => name.startsWith('Model 3'))).toContain('until Dec 24')
    fireEvent.click(screen.getByRole('button', { name: 'Uses tools' }))
    fireEvent.click(screen.getByRole('button', { name: 'Cheapest' }))
    expect(names().slice(0, 2).join()).toMatch(/^Model 599.*,Model 597/)
    fireEvent.change(screen.getByRole('combobox'), { target: { value: 'maker-2' } })
    expect(names()[0]).toContain('Model 597')
    fireEvent.keyDown(screen.getByRole('combobox'), { key: 'Enter' })
    expect(onChoose).toHaveBeenCalledWith('maker-2/597')
    expect(localStorage.getItem('modelChoices')).toContain('"recentIds":["maker-2/597"]')
  })

  test('tells screen readers how many models a filter and a search leave', () => {
    showMany()
    const said = () => document.querySelector('[aria-live="polite"]')?.textContent
    expect(said()).toBe('')
    fireEvent.click(screen.getByRole('button', { name: 'Uses tools' }))
    expect(said()).toBe('300 models found.')
    fireEvent.change(screen.getByRole('combobox'), { target: { value: 'Model 599' } })
    expect(said()).toBe('1 model found.')
    fireEvent.change(screen.getByRole('combobox'), { target: { value: 'nothing like it' } })
    expect(said()).toBe('')
    expect(screen.getByRole('status').textContent).toBe('No model fits this.')
  })

  test('shows the details of a model, and returns to its place in the list', () => {
    const onChoose = showMany()
    fireEvent.click(screen.getByRole('button', { name: 'About Model 3' }))
    expect(document.activeElement?.textContent).toBe('Model 3')
    expect(screen.getByText('What model 3 is for.')).toBeDefined()
    expect(screen.getByText('8,195 tokens')).toBeDefined()
    expect(screen.getByText('December 24, 2026')).toBeDefined()
    expect(screen.getByText('Thinks · Uses tools')).toBeDefined()
    fireEvent.click(screen.getByRole('button', { name: 'All models' }))
    expect(activeName()).toContain('Model 3')
    fireEvent.click(screen.getByRole('button', { name: 'About Model 3' }))
    fireEvent.click(screen.getByRole('button', { name: 'Choose' }))
    expect(onChoose).toHaveBeenCalledWith('maker-3/3')
  })

  test.each([
    [2, 'Das Modell', 'de'],
    [3, 'What model', 'en'],
  ])('tells the language of the description of model %i', (index, beginning, language) => {
    showMany()
    fireEvent.click(screen.getByRole('button', { name: `About Model ${index}` }))
    expect(screen.getByText(new RegExp(`^${beginning}`)).lang).toBe(language)
  })

  test('shows what a small balance affords, and offers the nearest affordable model', async () => {
    const creditId = '1a2b3c4d-2222-4333-8444-555555555555'
    localStorage.setItem('credit_id', creditId)
    lastBalanceStore.note(creditId, 0.01, 0)
    const shortOf = (model: (typeof many)[number], balance: bigint) => {
      expect(balance).toBe(10_000_000n)
      const index = many.indexOf(model)
      if (index < 5) return { tokenCount: 0, missing: 4_000_000n }
      return index < 8 ? { tokenCount: 430, missing: 0n } : null
    }
    const onChoose = showMany({ shortOf, priceOf: model => BigInt(600 - many.indexOf(model)) })
    expect(names().find(name => /^Model 4≈/.test(name))).toContain('0.4 cents short')
    expect(names().find(name => /^Model 6≈/.test(name))).toContain('about 300 words')
    expect(
      screen.getByText(/too little for a useful answer from Model 0: you need 0.4 cents more/),
    ).toBeDefined()
    fireEvent.click(await screen.findByRole('button', { name: 'Choose Model 5' }))
    expect(onChoose).toHaveBeenCalledWith('maker-5/5')
    // The current balance is requested, without success.
    await act(async () => {})
  })
})
