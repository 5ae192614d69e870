/** @jest-environment jsdom */
import { afterEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen } from '@testing-library/react'
import { renderInEnglish, stubDialogs } from '@/test/support/render'
import { chatModel } from './testing'
import { NOTHING_NEXT } from './use-next-message'

/** A list that has not loaded yet, as on a very slow network. */
jest.unstable_mockModule('./models/model-options', () => new Promise<never>(() => {}))
const { ModelPicker } = await import('./model-picker')

afterEach(cleanup)

test('several models that draw are priced together, for a message and not for a picture', () => {
  const painter = (id: string, image: string) =>
    chatModel({ id, name: id, draws: true, prices: { prompt: '0', completion: '0', image } })
  const compared = [painter('Brush', '0.04'), painter('Pen', '0.17')]
  renderInEnglish(
    <ModelPicker
      choice={{ model: compared[0] ?? null, missingId: null, compared, choose: () => {}, compare: () => {} }}
      next={NOTHING_NEXT}
      isBegun={false}
      modelList={{ models: compared, loading: false, failed: false, retry: () => {} }}
      curatedIds={null}
    />,
  )
  expect(screen.getByRole('combobox', { name: 'Model' }).textContent?.replaceAll('\u00a0', ' ')).toBe(
    '2 models≈ 21 cents a message',
  )
})

test('the model picker shows that its list is loading', async () => {
  stubDialogs()
  const model = chatModel({ name: 'Penny' })
  renderInEnglish(
    <ModelPicker
      choice={{ model, missingId: null, compared: [], choose: () => {}, compare: () => {} }}
      next={NOTHING_NEXT}
      isBegun={false}
      modelList={{ models: [model], loading: false, failed: false, retry: () => {} }}
      curatedIds={null}
    />,
  )
  await act(async () => void fireEvent.click(screen.getByRole('combobox', { name: 'Model' })))
  expect(screen.getByRole('dialog', { name: 'Choose a model' }).textContent).toContain('Loading…')
})
