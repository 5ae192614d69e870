import { expect, test } from '@/test/support/test'

const REFUSED = ['localStorage', 'sessionStorage', 'indexedDB'] as const

/** Simulates a browser that blocks a site's data: even reading the property throws. */
function refuse(names: readonly string[]): void {
  for (const name of names) {
    Object.defineProperty(window, name, {
      get: () => {
        throw new DOMException('Access is denied for this document.', 'SecurityError')
      },
    })
  }
}

test.describe('a browser that denies access to', () => {
  for (const names of [REFUSED, ['indexedDB']]) {
    test(`${names.join(', ')} shows every page without an error or a warning about stored data`, async ({
      page,
    }) => {
      const errors: string[] = []
      page.on('pageerror', error => errors.push(error.message))
      await page.addInitScript(refuse, names)
      for (const path of ['/account', '/pricing', '/']) {
        await page.goto(path)
        await expect(page.getByRole('main')).toBeVisible()
      }
      await expect(page.getByRole('textbox', { name: 'Message' })).toBeVisible()
      await expect(page.getByRole('dialog')).toHaveCount(0)
      expect(errors).toEqual([])
    })
  }
})
