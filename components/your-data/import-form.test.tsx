/** @jest-environment jsdom */
import { afterEach, expect, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen } from '@testing-library/react'
import { renderInEnglish } from '@/components/account/testing'
import { ImportForm } from './import-form'

afterEach(cleanup)

test('a file that is no export of ours names the button that makes one', async () => {
  const { container } = renderInEnglish(<ImportForm />)
  const file = new File(['[{"mapping": {}}]'], 'conversations.json')
  Reflect.set(file, 'text', async () => '[{"mapping": {}}]')
  const input = container.querySelector('input[type=file]')
  if (!input) throw new Error('There is no file field.')
  await act(async () => void fireEvent.change(input, { target: { files: [file] } }))
  expect(screen.getByRole('status').textContent).toContain('“Export everything”')
})
