/** @jest-environment jsdom */
import { afterEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, screen } from '@testing-library/react'
import { ApiCallError } from '@/lib/http/client/call-api'
import { en } from '@/test/support/messages'
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

test.each([
  ['whose code could not be loaded', new ApiCallError('part_missing'), en.errors.part_missing],
  ['that grew too large', new RangeError('Invalid string length'), en.storage.exportFailed],
])('an export %s advises what helps', async (_, thrown, advice) => {
  jest.spyOn(console, 'error').mockImplementation(() => undefined)
  window.reportError = () => undefined
  downloadExport.mockRejectedValue(thrown)
  renderInEnglish(<ExportForm />)
  await act(async () => screen.getByRole('button', { name: 'Export everything' }).click())
  expect(screen.getByRole('status').textContent).toBe(advice)
})
