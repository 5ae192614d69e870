/** @jest-environment jsdom */
import { afterEach, expect, jest, test } from '@jest/globals'
import { cleanup, fireEvent, screen } from '@testing-library/react'
import { renderInEnglish } from '@/components/account/testing'
import { DraftPictures } from './draft-pictures'

const picture = (end: string) => `data:image/png;base64,${Buffer.from(end).toString('base64')}`

afterEach(cleanup)

test('several attached pictures are numbered in their accessible names', async () => {
  const onRemove = jest.fn()
  const urls = [picture('a'), picture('b')]
  renderInEnglish(<DraftPictures urls={urls} onRemove={onRemove} />)
  expect(await screen.findByRole('img', { name: 'Picture 2 of 2' })).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Remove Picture 2 of 2' }))
  expect(onRemove).toHaveBeenCalledWith(urls[1])
})

test('a single attached picture has no number', async () => {
  renderInEnglish(<DraftPictures urls={[picture('a')]} onRemove={() => {}} />)
  expect(await screen.findByRole('img', { name: 'Attached picture' })).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Remove picture' })).toBeTruthy()
})
