/** @jest-environment jsdom */
import { afterEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, screen } from '@testing-library/react'
import { renderInEnglish } from '@/test/support/render'

const downloadExport = jest.fn<(includeCredit: boolean) => Promise<number>>()
jest.unstable_mockModule('@/components/storage/download-export', () => ({ downloadExport }))
const { ExportForm } = await import('./export-form')

afterEach(cleanup)

test.each([
  [1, /^$/],
  [2, /so 2 files are being saved.*import each of them/],
])('an export of %d files says what is to be done with them', async (fileCount, shown) => {
  downloadExport.mockResolvedValue(fileCount)
  renderInEnglish(<ExportForm />)
  await act(async () => screen.getByRole('button', { name: 'Export everything' }).click())
  expect(downloadExport).toHaveBeenLastCalledWith(false)
  expect(screen.getByRole('status').textContent).toMatch(shown)
})
