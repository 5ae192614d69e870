/** @jest-environment jsdom */
import { expect, jest, test } from '@jest/globals'
import { act, fireEvent, screen } from '@testing-library/react'
import { renderInEnglish, stubDialogs } from '@/test/support/render'
import { chatModel } from './testing'
import { NOTHING_NEXT } from './use-next-message'

/** A list that has not loaded yet, as on a very slow network. */
jest.unstable_mockModule('./models/model-options', () => new Promise<never>(() => {}))
const { ModelPicker } = await import('./model-picker')

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
